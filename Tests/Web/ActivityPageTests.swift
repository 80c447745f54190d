import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite struct ActivityPageTests {
  private static let family = FamilySample()

  private static func entry(
    _ number: Int64, _ action: String = "register.set", words: String? = "bedtime 20:00-07:00", old: String? = nil,
    new: String? = nil, target: String = ""
  ) -> AuditEntry {
    AuditEntry(
      number: number, at: FamilySample.now - number * 60_000, by: DeviceName(sanitising: "Dad's laptop"),
      action: action, target: target, childName: action == "register.set" ? family.child.name : nil, words: words,
      old: old, new: new)
  }

  private static func page(_ found: AuditPage, _ query: [String: String] = [:]) -> String {
    let filter = ActivityPage.Filter(FamilySample.fields(query))
    let page = FamilySample.render(
      ActivityPage.page.template,
      ActivityPage.data(found, filter, [family.child], family.status, now: FamilySample.now))
    FamilySample.check(page)
    return page
  }

  @Test func whoChangedWhatAndWhatThereWasBefore() {
    let child = Self.family.childID.description
    let found = AuditPage(entries: [Self.entry(9, old: "21:00-07:00"), Self.entry(8)], next: 8)
    let page = Self.page(found, ["child": child, "machine": "<script>"])
    for part in [
      "Dad&#39;s laptop", "bedtime 20:00-07:00", "21:00-07:00", "<option value=\"\(child)\" selected>Emma",
      "/activity?child=\(child)&amp;before=8", "/activity.csv?child=\(child)\"",
    ] {
      #expect(page.contains(part), "\(part): \(page)")
    }
    #expect(Self.page(AuditPage(entries: [])).contains("Nothing is recorded."))
  }

  @Test func aPhoneThroughWhichItWasDoneIsNamed() {
    var entry = Self.entry(1)
    entry.through = "Anna's phone"
    #expect(Self.page(AuditPage(entries: [entry])).contains("<td>Dad&#39;s laptop, through Anna&#39;s phone</td>"))
    #expect(ActivityPage.csv(AuditPage(entries: [entry])).contains(",Anna's phone"))
  }

  @Test func whatWasSetAndWhatThereWasBeforeAreGermanOnAGermanPage() throws {
    let german = try #require(Language.named("de"))
    var entry = Self.entry(1, words: "screen time a day 2 h", old: "1 h 30 min")
    entry.phrase = RuleText.changes([("limits/daily", "120")]).first
    entry.oldPhrase = RuleText.valuePhrase("limits/daily", "90")
    let others = [
      Self.entry(2, "clock.corrected", words: nil, new: "1 h 5 min back"),
      Self.entry(3, "usage.dropped", words: nil, new: "3 records of 2 sessions"),
      Self.entry(4, "receiver.set", words: nil, new: "answer lock, 30 min, 5000 milli-points"),
    ]
    let filter = ActivityPage.Filter(FamilySample.fields([:]))
    let data = ActivityPage.data(
      AuditPage(entries: [entry] + others), filter, [Self.family.child], Self.family.status, now: FamilySample.now)
    let page = FamilySample.render(ActivityPage.page.template, data, in: german)
    for part in [
      " – 2 Std", "<td>1 Std 30 Min</td>", "1 Std 5 Min zurück", "3 Aufzeichnungen von 2 Sitzungen",
      "er darf Bitten beantworten und sperren und entsperren, höchstens 30 Min und 5 Punkte am Tag",
    ] {
      #expect(page.contains(part), "\(part): \(page)")
    }
    #expect(!page.contains("screen time"))
    #expect(Self.page(AuditPage(entries: [entry] + others)).contains("1 h 5 min back"))
  }

  @Test func everyActionHasASentenceAndHostileTextsAreText() {
    let actions = [
      "device.paired", "device.assigned", "device.renamed", "device.removed", "device.forgotten", "device.quarantined",
      "device.released", "household.keys-changed", "identity.renewed", "parent.told", "receiver.set", "receiver.acts",
      "receiver.removed", "browser.let-in", "browser.removed", "zone.forgotten", "usage.dropped", "usage.not-queued",
      "clock.ignored", "later.version",
    ]
    let entries = actions.enumerated().map { number, action in
      Self.entry(
        Int64(number), action, words: nil, old: FamilySample.hostile, new: FamilySample.hostile,
        target: FamilySample.hostile)
    }
    let page = Self.page(AuditPage(entries: entries))
    // Only what a later version writes is shown by its word.
    #expect(page.contains("later.version") && actions.dropLast().allSatisfy { !page.contains($0) })
  }

  @Test func theFileHasALineForEachEntryAndNoFormula() throws {
    let text = ActivityPage.csv(AuditPage(entries: [Self.entry(1, words: "=1+1"), Self.entry(2, new: "a,b")]))
    let lines = text.split(separator: "\r\n").map(String.init)
    #expect(lines.count == 3 && lines[0].hasPrefix("number,atMilliseconds,by,child"))
    #expect(lines[1].contains("'=1+1") && lines[2].contains("\"a,b\""))
    #expect(PageTable.download(at: "/activity.csv", for: .parent) != nil)
    #expect(PageTable.download(at: "/activity.csv", for: .child) == nil && PageTable.hasPage(at: "/activity.csv"))
  }

  @Test func useIsKeptByDayAndApplication() throws {
    let row = UseReport.Row(
      appID: try #require(AppID("chess")), displayName: "@Chess", category: .learning, milliseconds: 60_000,
      earnedMilliPoints: 1_000, sessions: 2)
    let periods = ["2026-11-29", "2026-11-28"].map {
      UseReport.Period(start: $0, milliseconds: 60_000, categories: [], rows: [row])
    }
    let report = UseReport(
      childID: Self.family.childID, name: Self.family.child.name, period: "day", from: "2026-11-28", to: "2026-11-29",
      periods: periods)
    let lines = UseDownload.csv(report).split(separator: "\r\n").map(String.init)
    #expect(lines.count == 3 && lines[1] == "Emma,2026-11-28,chess,'@Chess,learning,60000,1000,2")
  }
}
