/// How far a child's machine enforces a rule.
///
/// Every receipt states it, so that a rule that is only stored is not mistaken for one that is
/// enforced.
public enum Enforcement: String, Codable, Sendable, Hashable, CaseIterable {
  /// The rule is stored and shown; no part of the machine closes or refuses programs.
  case recorded
  /// The rule is stored, and the machine's agent enforces it.
  case enforced
  /// The rule is stored, and enforced for the programs of the account that runs Latchkey only.
  case ownPrograms
}
