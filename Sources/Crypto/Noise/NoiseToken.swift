/// A step in a handshake message.
///
/// Spec: Noise revision 34, section 5.3.
enum NoiseToken: Sendable {
  /// Send the ephemeral public key.
  case e
  /// Send the static public key, encrypted if there is a key.
  case s
  /// Mix in the secret of both ephemeral keys.
  case ee
  /// Mix in the secret of the initiator's ephemeral and the responder's static key.
  case es
  /// Mix in the secret of the initiator's static and the responder's ephemeral key.
  case se
  /// Mix in the secret of both static keys.
  case ss
  /// Mix in the next pre-shared key.
  case psk
}
