/// A fault of the peer in a pairing other than failed decryption.
///
/// On the wire, all faults look alike.
enum PairingFault: Error {
  /// A signature or a commitment does not match.
  case proof
  /// A step is out of place.
  case outOfTurn
}
