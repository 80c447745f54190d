import LatchkeyModel
import Testing

@testable import LatchkeyRules

/// Tests that what is wrong with a rule is told in the reader's language.
@Suite struct RuleFaultLanguageTests {
  /// Wrong values of all kinds of rule, and of some the ones that are wrong in a way of their own.
  private static let wrong = [
    "?", "", "-1", "1,2", ",", "20:00", "-07:00", "20:00-", "20:00-20:00", "mon", "16:00-18:00 mon", "xyz 16:00-18:00",
    "mon 16:00-18:00 tue 16:00-18:00", "mon 16:00-18:00, mon 17:00-19:00", "16:00-18:00, 17:00-19:00", "0:00-24:00",
    "45", "300 10", "99999", "1h within", "none within 16:00-20:00", "5h within 16:00-20:00", "30 x", "30\n", "a b",
    "path", "x y", "on\u{7}", "Europe/Nowhere", "yes 0", "now", String(repeating: "x", count: 3_000),
    String(repeating: "path /a\n", count: 70), (0..<9).map { "\($0):00-\($0):10" }.joined(separator: ", "),
    String(repeating: "mon 1,", count: 70),
  ]

  private func faults() -> [RuleFault] {
    var faults: [RuleFault] = []
    func note(_ read: () throws(RuleFault) -> Void) { do { try read() } catch { faults.append(error) } }
    for text in Self.wrong {
      for entry in RuleSet.kinds {
        note { () throws(RuleFault) in _ = try entry.read(text, false) }
        note { () throws(RuleFault) in _ = try entry.read(text, true) }
        note { () throws(RuleFault) in _ = try entry.given(text) }
      }
      for canHaveHours in [false, true] {
        note { () throws(RuleFault) in _ = try DayLimits.Change(given: text, canHaveHours: canHaveHours) }
      }
      note { () throws(RuleFault) in _ = try ChildRequest.Wish(typed: text) }
      note { () throws(RuleFault) in _ = try RequestAnswer.Verdict(typed: text) }
    }
    return faults + [.manyPrograms]
  }

  @Test func everyFaultIsInGerman() throws {
    let german = try #require(Language.named("de"))
    let phrases = Set(faults().map(\.phrase))
    #expect(Set(phrases.map(\.text)).count > 50)
    for phrase in phrases {
      #expect(german.has(phrase), "\(phrase.text)")
      #expect(phrase.worded(in: german) != phrase.worded(), "\(phrase.text)")
    }
  }

  @Test func noFaultIsGluedFromEnglishParts() {
    for phrase in Set(faults().map(\.phrase)) {
      for (name, argument) in phrase.arguments {
        guard case .text(let text) = argument else { continue }
        // What a person typed, times, numbers and words of the form of a rule.
        #expect(!text.contains(": give") && !text.hasSuffix("."), "\(phrase.text): \(name) is \(text)")
      }
    }
  }

  @Test func aRuleThatIsNotInForceSaysWhyInGerman() throws {
    let german = try #require(Language.named("de"))
    let author = DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.size))
    let time = HybridTimestamp(wall: 1, counter: 0, author: try #require(author))
    let registers = [("schedule/siesta", "yes"), ("lock", "on"), ("limits/daily", "x")].map {
      Register(.family, $0.0, $0.1, modified: time)
    }
    let (_, notInForce) = RuleSet.read(registers, child: nil)
    #expect(notInForce.count == 3)
    for rule in notInForce { #expect(german.has(rule.phrase) && rule.reason == rule.phrase.worded(), "\(rule.reason)") }
  }
}
