import LatchkeyModel

/// A rule: a key that this version knows, with a valid value.
///
/// Spec: Protocol/11-rules.md §1.
public struct Rule: Hashable, Sendable {
  public let key: RuleKey
  public let registerKey: RegisterKey
  /// The value as text, which is the content of the register and the same for the same value.
  public let text: String

  /// Creates a rule from text as a person may type it.
  ///
  /// Throws a fault in a sentence that says what to give instead.
  public init(_ key: RuleKey, typed text: String) throws(RuleFault) {
    guard let registerKey = key.registerKey else {
      throw RuleFault("The application's ID is too long for a rule: give it a shorter one.")
    }
    (self.key, self.registerKey) = (key, registerKey)
    self.text = try key.entry.read(text, false).text
  }

  /// Creates a rule from the text of a register, which has one form for each value.
  public init(_ key: RuleKey, stored text: String) throws(RuleFault) {
    try self.init(key, typed: try key.entry.read(text, true).text)
  }

  public func register(in zone: Zone, modified: HybridTimestamp) -> Register {
    Register(zone, registerKey, text, modified: modified)
  }
}
