import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

/// How much time has to be granted for a program to run.
@Suite struct MissingTimeTests {
  @Test(
    arguments: [
      ("limits/daily", "60", 60, 1), ("limits/daily", "60", 105, 46), ("limits/daily", "60", 59, nil),
      ("app/game/limit", "30", 105, 76), ("app/game/limit", "30 within 10:00-14:00", 105, nil),
      ("limits/weekly", "0", 20, 21), ("lock", "on", 500, nil), ("limits/daily", "0", 1_440, nil),
    ] as [(String, String, Int64, Int?)])
  func theFewestMinutesThatOpenTheLimits(key: String, value: String, used: Int64, missing: Int?) throws {
    let rules = try HouseholdSamples.rules([(key, value), ("family/zone", "UTC"), ("mode", "limits")])
    var situation = try HouseholdSamples.situation("2026-11-23T20:00:00Z", rules)
    let game = try HouseholdSamples.app("game")
    situation.use[situation.day] = DayUse(screen: used * 60_000, apps: [game: used * 60_000])
    #expect(DayPlan(rules, for: situation).missingMinutes(for: .app(game), in: situation) == missing)
  }
}
