import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// Rules and situations for tests.
enum HouseholdSamples {
  static let emma = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
  static let minute: Int64 = 60_000
  static let hour: Int64 = 3_600_000

  static func key(_ text: String) throws -> RuleKey {
    let key = try #require(RegisterKey(text))
    return try #require(RuleKey(key))
  }

  static func app(_ text: String) throws -> AppID { try #require(AppID(text)) }

  static func day(_ text: String) throws -> FamilyDay { try #require(FamilyDay(text)) }

  static func instant(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000
  }

  /// Returns the rules of a child from texts as a person may type them.
  static func rules(_ texts: [(String, String)]) throws -> RuleSet {
    var registers: [Register] = []
    for (text, value) in texts {
      let key = try key(text)
      let rule = try Rule(key, typed: value)
      registers.append(rule.register(in: key.belongs(in: .family) ? .family : .child(emma), modified: .never))
    }
    let (rules, notInForce) = RuleSet.read(registers, child: emma)
    try #require(notInForce.isEmpty, "\(notInForce)")
    return rules
  }

  /// Returns a situation at an instant in the family's day of these rules.
  static func situation(_ text: String, _ rules: RuleSet) throws -> Situation {
    let time = try instant(text)
    return Situation(
      boot: BootInstant(milliseconds: 1_000_000), time: time, day: rules.boundary.day(containing: time))
  }

  /// Returns the minutes for which a verdict holds; `nil` if it has no end.
  static func minutes(_ verdict: Verdict) -> Double? {
    verdict.until.map { Double($0.milliseconds - 1_000_000) / 60_000 }
  }
}
