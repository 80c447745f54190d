import LatchkeyModel

/// A rule: a key that this version knows, with a valid value.
///
/// Spec: Protocol/11-rules.md §1.
public struct Rule: Hashable, Sendable {
  /// The key.
  public let key: RuleKey
  /// The key of its register.
  public let registerKey: RegisterKey
  /// The value.
  public let value: RuleValue

  /// Creates a rule from text as a person may type it.
  ///
  /// Throws a fault in a sentence that says what to give instead.
  public init(_ key: RuleKey, typed text: String) throws(RuleFault) {
    guard let registerKey = key.registerKey else {
      throw RuleFault("The application's ID is too long for a rule: give it a shorter one.")
    }
    (self.key, self.registerKey) = (key, registerKey)
    value = try key.read(text)
  }

  /// Creates a rule from the text of a register.
  ///
  /// Each value has one form. Throws a fault for any other, so that what one implementation takes, all take.
  public init(_ key: RuleKey, stored text: String) throws(RuleFault) {
    guard text.utf8.count <= Register.valueBytes else {
      throw RuleFault("The rule is larger than 20,480 bytes: make it smaller.")
    }
    try self.init(key, typed: text)
    guard self.text.utf8.elementsEqual(text.utf8) else {
      throw RuleFault("The rule is not written in its only form: set it again.")
    }
  }

  /// The value as text, which is the content of the register.
  public var text: String { value.text }

  /// Returns the register that sets the rule.
  public func register(in zone: Zone, modified: HybridTimestamp) -> Register {
    Register(zone, registerKey, text, modified: modified)
  }
}
