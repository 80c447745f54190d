/// Tell which side of the agreement this is.
public enum CPaceRole: Sendable, Hashable {
  /// The side whose share is sent first.
  case initiator
  /// The side that answers.
  case responder
}
