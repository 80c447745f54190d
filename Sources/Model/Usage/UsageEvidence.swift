/// How a session was observed.
public enum UsageEvidence: String, Codable, Sendable, Hashable, CaseIterable {
  /// `latchkey usage track` ran the program itself.
  case tracked
  /// The agent saw the program running.
  case observed
  /// The end was not observed, because the node or the machine stopped. The session ends when the
  /// program was last seen.
  case interrupted
}
