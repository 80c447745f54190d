/// One thing that an examination found.
public struct Finding: Codable, Sendable, Hashable {
  /// Which finding it is, for programs: lower-case words joined by `-`.
  public var id: String
  public var severity: Severity
  /// What was found.
  public var sentence: String
  /// What to do next; empty when nothing is to be done.
  public var next: String

  public init(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    self.id = id
    self.severity = severity
    self.sentence = sentence
    self.next = next
  }
}
