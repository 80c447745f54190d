/// The role of one side in the agreement.
public enum CPaceRole: Sendable, Hashable {
  /// The side whose share is sent first.
  case initiator
  /// The side that answers.
  case responder
}
