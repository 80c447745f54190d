import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyRules

/// What a person gives for a rule: a value, or `default` to go back to the default.
struct Setting: Hashable, Sendable {
  /// The value as the rule is written; `nil` removes the rule.
  let text: String?

  /// Returns a reader of arguments for a rule, which throws `ValidationError` in the rule's words.
  static func reading(_ key: RuleKey) -> @Sendable (String) throws -> Setting {
    { text in
      let isNumber = if case .number = key.entry.values { true } else { false }
      if text.lowercased() == "default" || isNumber && text.lowercased() == "none" { return Setting(text: nil) }
      return Setting(text: try ValidationError.from { () throws(RuleFault) in try key.entry.given(text) })
    }
  }

  /// Reads a time zone, of which a person may have meant another.
  @Sendable static func zone(_ text: String) throws -> Setting {
    if ["default", "none"].contains(text.lowercased()) { return Setting(text: nil) }
    let known = TimeZone.knownTimeZoneIdentifiers
    if let exact = known.first(where: { $0.lowercased() == text.lowercased() }) { return Setting(text: exact) }
    if TimeZone(identifier: text) != nil, text.contains("/") || text == "UTC" { return Setting(text: text) }
    let question = Spelling.question(for: text, among: known)
    throw ValidationError(
      "There is no time zone “\(DeviceName(sanitising: text))”. "
        + (question.isEmpty ? "Give one such as Europe/Berlin." : question))
  }
}

extension ValidationError {
  /// Returns what a body returns, and throws the sentence of its fault as one about an argument.
  static func from<Value>(_ body: () throws(RuleFault) -> Value) throws -> Value {
    do { return try body() } catch { throw ValidationError(error.sentence) }
  }
}

extension RuleKind {
  /// Reads an argument; throws `ValidationError` in the rule's words.
  @Sendable func argument(_ text: String) throws -> Value {
    try ValidationError.from { () throws(RuleFault) in try read(given: text) }
  }
}
