/// Which part this machine has in a pairing.
enum PairingSide: Sendable {
  case inviter
  case joiner
}
