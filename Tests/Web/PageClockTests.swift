import LatchkeyModel
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite struct PageClockTests {
  @Test func aMomentOfAClockThatWasNeverSetIsUnknown() {
    let clock = PageClock(zone: "UTC", now: 1_795_950_000_000)
    for moment in [0, 86_400_000_000, -1] as [Int64] {
      #expect(clock.ago(moment).worded() == "at an unknown time" && clock.moment(moment).worded() == "an unknown time")
    }
    #expect(clock.ago(1_795_000_000_000).worded().hasSuffix("days ago"))
    #expect(PageClock(zone: "UTC", now: 90_000).ago(0).worded() == "1 min ago")
  }

  @Test func pointsThatAreLeftAreRoundedDownToTenths() {
    for (points, text) in [(12_345, "12.3 points"), (1_049, "1 point"), (-10, "-0.1 points"), (0, "0 points")] {
      #expect(PointsText.phrase(PointsText.left(Int64(points))).worded() == text)
    }
    #expect(PageWords.points(12_345).worded() == "12.3 points to spend")
  }

  @Test func theZoneThatAMachineSetHasNoTimeAndNamesAndCategoriesAreNoRules() {
    var family = FamilySample()
    family.family = [FamilySample.rule("family/zone", "Europe/Berlin", setAt: 0, isFamilys: true)]
    family.rules = [
      FamilySample.rule("app/chess/category", "learning"), FamilySample.rule("app/chess/name", "chess"),
      FamilySample.rule("app/kart/blocked", "yes"),
    ]
    let report = UseReport(
      childID: family.childID, name: family.child.name, period: "day", from: "2026-11-23", to: "2026-11-29",
      periods: [])
    let data = ChildPage.data(
      family.day, .first, .first, report, family.childRules, [family.peer], now: FamilySample.now)
    let page = FamilySample.render(ChildPage.page.template, data)
    #expect(!page.contains("chess") && page.contains("kart: blocked"), "\(page)")
    #expect(page.contains("set by the machine itself") && !page.contains("days ago"), "\(page)")
  }

  @Test("What ends the time begins then, and what is closed is closed until then")
  func theTimeOfARule() {
    let clock = PageClock(zone: "Europe/Berlin", now: FamilySample.now)
    let until = FamilySample.now + 60_000
    let time = clock.moment(until).worded()
    func words(_ rule: String, _ reason: Phrase, isAllowed: Bool) -> String? {
      PageWords.reason(VerdictToday(isAllowed: isAllowed, rule: rule, reason: reason, until: until), clock)?.worded()
    }
    let pause = Phrase(verbatim: "a break of 10 min")
    #expect(words("breaks", pause, isAllowed: true) == "a break of 10 min, from \(time)")
    #expect(words("breaks", pause, isAllowed: false) == "a break of 10 min, until \(time)")
    #expect(words("dailyLimit", "2 h a day", isAllowed: true) == "2 h a day, until \(time)")
    let partly = Phrase("{reason}, but nothing closes it", ["reason": "a break"])
    #expect(words("breaks", partly, isAllowed: false) == "until \(time): a break, but nothing closes it")
  }
}
