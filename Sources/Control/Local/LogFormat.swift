/// The form of log lines.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  /// For people.
  case text
  /// One JSON object for each line.
  case json
}
