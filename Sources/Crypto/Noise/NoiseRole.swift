/// Tell which side of a handshake this is.
public enum NoiseRole: Sendable, Hashable {
  /// The side that sends the first message.
  case initiator
  /// The side that waits for it.
  case responder
}
