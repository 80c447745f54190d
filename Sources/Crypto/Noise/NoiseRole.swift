/// The role of one side in a handshake.
public enum NoiseRole: Sendable, Hashable {
  /// The side that sends the first message.
  case initiator
  /// The side that waits for the first message.
  case responder
}
