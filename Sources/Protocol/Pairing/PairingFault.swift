/// What a peer may get wrong in a pairing beside what its cipher refuses; all look alike on the wire.
enum PairingFault: Error {
  /// A signature or a commitment does not fit.
  case proof
  /// A step that has no place here.
  case outOfTurn
}
