/// How a session came to be known.
public enum UsageEvidence: String, Codable, Sendable, Hashable {
  /// `latchkey usage track` ran the program itself.
  case tracked
  /// The agent saw the program run.
  case observed
}
