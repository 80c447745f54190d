/// How far a child's machine holds to a rule it stored; part of every receipt, so that nobody takes a stored rule for a kept one.
public enum Enforcement: String, Codable, Sendable, Hashable, CaseIterable {
  /// The rule is stored and shown; nothing on that machine closes or refuses programs.
  case recorded
  /// The rule is stored and the machine's agent acts on it.
  case enforced
}
