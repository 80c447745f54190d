/// Which way a frame of a pairing goes.
enum Direction: String, Sendable, CaseIterable {
  case toInviter = "to the inviter"
  case toJoiner = "to the joiner"
}
