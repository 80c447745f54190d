import LatchkeyModel
import LatchkeyRules
import Testing

/// Tests of the words in which people read rules.
@Suite struct RuleTextTests {
  private static let terms = RuleTerms(
    zone: "Europe/Berlin", names: AppID("org.kde.gcompris").map { [$0: "GCompris"] } ?? [:])

  @Test(
    arguments: [
      ("limits/daily", "120", "screen time a day 2 h"), ("limits/daily", "none", "no limit on screen time a day"),
      ("limits/daily/sat", "180", "screen time on Saturdays 3 h"),
      ("limits/daily/sat", "none", "no limit on screen time on Saturdays"),
      ("category/reward/limit/fri", "90", "rewards on Fridays 1 h 30 min"),
      ("category/reward/limit", "none", "no limit on rewards a day"),
      ("app/org.kde.gcompris/limit/mon", "45", "GCompris at most 45 min on Mondays"),
      ("app/org.kde.gcompris/limit/mon", "none", "no limit on GCompris on Mondays"),
      ("app/org.kde.gcompris/limit", "none", "no limit a day on GCompris"),
      ("app/org.kde.gcompris/rate", "2500", "GCompris 2.5 points a minute"),
      ("app/org.kde.gcompris/rate", nil, "no points of its own for GCompris"),
      ("limits/daily/sat", nil, "no separate limit for screen time on Saturdays"),
      ("app/org.kde.gcompris/limit/mon", nil, "no separate limit for GCompris on Mondays"),
      ("category/reward/limit", "45", "rewards a day 45 min"),
      ("category/learning/weekly", "90", "learning a week 1 h 30 min"),
      ("category/reward/rate", "2000", "points for rewards 2 points a minute"),
      ("mode", "limits", "points off, limits and times alone"),
      ("points/use", "redeemFirst", "rewards are paid with minutes redeemed before"),
      ("points/use", "payAsYouGo", "rewards are paid as they run"),
      ("points/minutesPerPoint", "3", "a redeemed point buys 3 min"),
      ("points/dailyCap", "60000", "points earned a day at most 60"),
      ("points/minimumSession", "5", "shortest session that earns 5 min"),
      ("points/redemptionDays", "7", "redeemed minutes last 7 days"),
      ("points/redemptionDays", "1", "redeemed minutes last for the day"),
      ("unknownPrograms", "block", "unknown programs are blocked"),
      ("sessions", "close", "when time is up, sessions are ended, and log-in is refused"),
      ("family/dayStart", "4", "day starts at 4:00"),
      ("lock", "until 2026-11-22T18:30Z", "locked until 2026-11-22 19:30"), ("lock", "off", "not locked"),
      ("today/2026-11-22/bedtime", "none", "no bedtime on 2026-11-22"),
      ("app/org.kde.gcompris/blocked", "yes", "GCompris blocked"),
      ("app/org.kde.gcompris/limit", "45", "GCompris at most 45 min a day"),
      ("app/org.kde.gcompris/name", "GCompris", "org.kde.gcompris called GCompris"),
      (
        "today/2026-11-22/grant/01a2060f-f760-7000-96c8-2ec260e9103c", "30 app:org.kde.gcompris",
        "more time on 2026-11-22: 30 min for GCompris"
      ),
      ("limits/daily", nil, "no limit on screen time a day"), ("schedule/bedtime", nil, "no bedtime"),
      ("app/org.kde.gcompris/limit", nil, "no limit a day on GCompris"),
      ("app/org.kde.gcompris/name", nil, "org.kde.gcompris called by its own name"),
      ("app/org.kde.gcompris/category", nil, "no category set for GCompris"),
      ("app/org.kde.gcompris/enabled", nil, "rules of GCompris not switched on or off"),
      ("app/org.kde.gcompris/blocked", nil, "no block set for GCompris"),
      ("app/org.kde.gcompris/allowed", nil, "GCompris not set as always allowed"),
      (
        "app/org.kde.gcompris/matchers", nil,
        "no matchers set for GCompris, so that it is recognized as it is installed"
      ),
      ("app/org.kde.gcompris/step", nil, "nothing set about how GCompris ends when its time is over"),
      ("app/org.kde.gcompris/hours", "mon-fri 15:00-18:00", "GCompris only mon-fri 15:00-18:00"),
      ("app/org.kde.gcompris/hours", nil, "no hours set for GCompris"),
      ("app/org.kde.gcompris/grace", "60", "GCompris has 1 min to save when it is closed"),
      ("app/org.kde.gcompris/grace", "0", "GCompris has 0 s to save when it is closed"),
      ("group/Blocks/members", "kart\norg.kde.gcompris", "group Blocks is kart, GCompris"),
      (
        "group/Long/members", (10..<40).map { "org.example.game\($0)" }.joined(separator: "\n"),
        "group Long is " + (10..<20).map { "org.example.game\($0)" }.joined(separator: ", ") + ", and 20 more"
      ),
      ("group/Blocks/limit", "60", "group Blocks at most 1 h a day"),
      ("group/Blocks/limit", "60 within 16:00-20:00", "group Blocks at most 1 h a day between 16:00 and 20:00"),
      (
        "app/org.kde.gcompris/limit/sat", "90 within 22:00-02:00",
        "GCompris at most 1 h 30 min on Saturdays between 22:00 and 02:00"
      ),
      ("group/Blocks/blocked", "yes", "group Blocks blocked"),
      ("group/Blocks/blocked", "now", "group Blocks blocked without time to save"),
      ("app/org.kde.gcompris/blocked", "now", "GCompris blocked without time to save"),
      ("lock", "on now", "locked without time to save"),
      ("group/Blocks/limit/sat", "60", "group Blocks at most 1 h on Saturdays"),
      ("group/Blocks/limit", nil, "no limit a day on group Blocks"),
      ("days/2026-12-23..2027-01-06/school", "none", "no school time on 2026-12-23..2027-01-06"),
      ("days/2026-12-23..2027-01-06/name", "Christmas", "2026-12-23..2027-01-06 called Christmas"),
      ("today/2026-11-22/limit", "60", "screen time on 2026-11-22 1 h"),
      ("today/2026-11-22/limit", "none", "no limit on screen time on 2026-11-22"),
      (
        "limits/carryOver", "60",
        "at most 1 h of unused screen time goes over to the next day, also from the days since Monday"
      ),
      ("limits/carryOver", "0", "no unused screen time goes over to the next day"),
      ("limits/breaks", "45 10", "a break of 10 min after 45 min of screen time"), ("limits/breaks", nil, "no breaks"),
      (
        "today/2026-11-22/less/01a2060f-f760-7000-96c8-2ec260e9103c", "30 reward\nrude at dinner",
        "less time on 2026-11-22: 30 min for rewards (rude at dinner)"
      ),
      ("programs", "listed", "only applications with a category or always allowed may run"),
      ("app/org.kde.gcompris/launches", nil, "nothing set about what GCompris starts"),
      ("app/org.kde.gcompris/launches", "apart", "what GCompris starts is apart"),
      ("app/org.kde.gcompris/launches", "counted", "what GCompris starts counts as GCompris"),
      ("category/reward/limit", nil, "no limit on rewards a day"),
      ("category/learning/weekly", nil, "no limit on learning a week"),
      ("category/reward/rate", nil, "“points for rewards” back to the default"),
      ("limits/weekly", nil, "no limit on screen time a week"), ("lock", nil, "no lock"),
      ("schedule/school", nil, "no school time"), ("schedule/rewardTimes", nil, "no reward times"),
      ("points/dailyCap", nil, "no limit on points earned a day"),
      ("points/minimumSession", nil, "“shortest session that earns” back to the default"),
      ("sessions", nil, "“sessions when time is up” back to the default"),
      ("unknownPrograms", nil, "“unknown programs” back to the default"),
      ("family/dayStart", nil, "“day starts at” back to the default"),
      (
        "today/2026-11-22/grant/01a2060f-f760-7000-96c8-2ec260e9103c", nil,
        "the time that was granted on 2026-11-22 is taken back"
      ),
      ("mode", nil, "“points” back to the default"), ("family/zone", "Asia/Tokyo", "time zone Asia/Tokyo"),
      ("today/2026-11-22/school", nil, "school time on 2026-11-22 as on other days"),
    ] as [(RegisterKey, String?, String)])
  func aRuleHasWords(key: RegisterKey, value: String?, words: String) {
    #expect(RuleText.phrase(key, value, Self.terms) == words)
  }

  @Test func aRuleIsNamedWithinASentence() {
    #expect(
      RuleText.childsRemoval("group/Blocks/hours") == "“hours of group Blocks” is no longer set for the child alone")
    #expect(RuleText.named("schedule/bedtime") == "bedtime")
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].compactMap { RegisterKey("app/kart/limit/\($0)") }
    #expect(RuleText.phrases(days.map { ($0, nil) }) == ["no separate limit for kart on any weekday"])
  }

  @Test func withoutTheFamilysZoneAMomentIsInUTC() {
    #expect(RuleText.value("lock", "until 2026-11-22T18:30Z") == "locked until 2026-11-22 18:30 UTC")
    #expect(
      RuleText.value("lock", "until 2026-03-29T00:30Z", RuleTerms(zone: "America/St_Johns"))
        == "locked until 2026-03-28 22:00")
  }

  @Test("An exception without times is read in the reader's language")
  func noTimesOnADay() throws {
    let key: RegisterKey = "days/2026-12-23..2027-01-06/school"
    let phrase = try #require(RuleText.changes([(key, "none")]).first)
    #expect(phrase.worded() == "school time on 2026-12-23..2027-01-06 – none")
    #expect(phrase.worded(in: try #require(Language.named("de"))).hasSuffix(" – keine"))
  }
}
