import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// Which register holds of several about the same thing, and which rules of an application close
/// something: Protocol/11-rules.md §2, §5.
@Suite struct HeldRulesTests {
  private let emma = HouseholdSamples.emma
  private let tom = ChildID(milliseconds: 2, random: [UInt8](repeating: 2, count: 10))

  /// Returns registers of the family, whose keys begin with `family:`, and of Emma, in the order in
  /// which they were set.
  private func registers(_ texts: [(String, String)]) throws -> [Register] {
    var random = SeededRandom(seed: 3)
    let author = Samples.deviceID(&random)
    return try texts.enumerated().map { index, text in
      let isFamilys = text.0.hasPrefix("family:")
      let key = try #require(RegisterKey(isFamilys ? String(text.0.dropFirst(7)) : text.0))
      return Register(
        isFamilys ? .family : .child(emma), key, text.1,
        modified: HybridTimestamp(wall: Int64(index + 1), counter: 0, author: author))
    }
  }

  private func held(_ registers: [Register]) throws -> HeldRules {
    HeldRules(emma, RuleSet.read(registers, child: emma).rules, registers, on: try HouseholdSamples.day("2026-11-21"))
  }

  /// What overrides the first of these registers on Saturday, 21 November 2026.
  @Test(
    "A register is overridden by one that is above it on the day, also by one that says the same",
    arguments: [
      (["family:app/a/blocked": "yes"], ["app/a/blocked": "no"], .ofChild),
      (["family:app/a/blocked": "yes"], ["app/a/blocked": "yes"], .ofChild),
      (["family:app/a/blocked": "yes"], ["app/a/blocked": "perhaps"], nil),
      (["family:app/a/blocked": "yes"], ["app/b/blocked": "no"], nil),
      (["app/a/blocked": "yes"], ["family:app/a/blocked": "no"], nil),
      (["family:limits/daily": "0"], ["limits/daily": "180"], .ofChild),
      (["family:limits/daily": "0"], ["limits/daily/sat": "180"], .ofChild),
      (["family:limits/daily": "0"], ["limits/daily/mon": "180"], nil),
      (["family:limits/daily/mon": "0"], ["limits/daily": "180"], .ofChild),
      (["limits/daily": "0"], ["limits/daily/sat": "180"], .ofWeekday),
      (["limits/daily/sat": "0"], ["limits/daily": "180"], nil),
      (["limits/daily": "0"], ["today/2026-11-21/limit": "none"], .ofDay),
      (["limits/daily": "0"], ["today/2026-11-22/limit": "none"], nil),
      (["limits/daily/mon": "0"], ["today/2026-11-21/limit": "none"], nil),
      (["schedule/bedtime": "20:00-07:00"], ["family:days/2026-11-20..2026-11-22/bedtime": "none"], .ofDay),
      (["schedule/bedtime": "20:00-07:00"], ["today/2026-11-21/limit": "none"], nil),
      (["today/2026-11-21/limit": "0"], ["days/2026-11-20..2026-11-22/limit": "60"], .ofDay),
      (["family:today/2026-12-24/limit": "0"], ["days/2026-12-23..2026-12-26/limit": "60"], .ofDay),
      (["family:days/2026-12-23..2026-12-26/limit": "0"], ["today/2026-12-24/limit": "60"], nil),
      (["family:limits/daily": "60"], ["limits/daily": "60"], .ofChild),
      (["family:limits/daily": "60"], ["today/2026-11-21/limit": "60"], .ofDay),
      (["limits/daily": "60"], ["today/2026-11-21/limit": "60"], .ofDay),
      (["limits/daily": "60"], ["limits/daily/sat": "60"], nil),
    ] as [([String: String], [String: String], HeldRules.Rival?)])
  func overridden(_ first: [String: String], _ second: [String: String], _ rival: HeldRules.Rival?) throws {
    let all = try registers(first.map { ($0.key, $0.value) } + second.map { ($0.key, $0.value) })
    #expect(try held(all).rival(of: all[0]) == rival)
  }

  @Test("Of two grants on a day, neither holds instead of the other")
  func grants() throws {
    let ids = (1...2).map { CommandID(milliseconds: 1, random: [UInt8](repeating: $0, count: 10)) }
    let all = try registers([
      ("today/2026-11-21/grant/\(ids[0])", "30"), ("today/2026-11-21/grant/\(ids[1])", "60"),
    ])
    let held = try held(all)
    #expect(all.allSatisfy { held.rival(of: $0) == nil })
  }

  @Test("Rules that are off close nothing, and no times close what is always allowed")
  func obstacles() throws {
    let (off, always, other) = (
      try HouseholdSamples.app("off"), try HouseholdSamples.app("always"), try HouseholdSamples.app("other")
    )
    let held = try held(
      try registers([
        ("app/off/enabled", "no"), ("app/off/blocked", "yes"), ("app/always/allowed", "yes"), ("app/other/limit", "0"),
        ("group/Fun/members", "always\noff\nother"),
      ]))
    func obstacle(_ key: String, _ app: AppID, _ text: String = "0") throws -> HeldRules.Obstacle? {
      held.obstacle(to: try HouseholdSamples.key(key), of: app, as: text)
    }
    #expect(try obstacle("app/off/blocked", off, "yes") == .off)
    #expect(try obstacle("app/off/enabled", off, "no") == nil)
    #expect(try obstacle("group/Fun/blocked", off, "yes") == .off)
    for key in ["app/always/limit", "app/always/limit/mon", "app/always/hours", "group/Fun/weekly"] {
      #expect(try obstacle(key, always) == .alwaysAllowed, "\(key)")
    }
    #expect(try obstacle("app/always/limit", always, "none") == nil)
    #expect(try obstacle("app/always/blocked", always, "yes") == nil)
    #expect(try obstacle("app/other/limit", other) == nil)
    #expect(held.applications(of: try HouseholdSamples.key("group/Fun/blocked")) == [off, always, other])
    #expect(held.applications(of: try HouseholdSamples.key("limits/daily")) == nil)
  }
}
