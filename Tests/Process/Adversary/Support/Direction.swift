/// The direction of a frame in a pairing.
enum Direction: String, Sendable, CaseIterable {
  case toInviter = "to the inviter"
  case toJoiner = "to the joiner"
}
