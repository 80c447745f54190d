import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite struct ChildDayTests {
  private static let minute: Int64 = 60_000

  private static func session(_ app: String, from start: Int64, minutes: Int64, name: String? = nil) throws
    -> UsagePage.Session
  {
    let record = UsageRecord(
      recordID: try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16))), device: Sample.device,
      appID: try #require(AppID(app)), displayName: name ?? app, sessionStart: start,
      sessionEnd: start + minutes * minute, zone: "Europe/Berlin", activeMilliseconds: minutes * minute,
      category: .reward, milliPointsPerMinute: 0, earnedMilliPoints: 0, evidence: .observed,
      child: FamilySample().childID)
    return UsagePage.Session(
      record: record, deviceName: DeviceName(sanitising: "Emma's PC"), clippedStart: start,
      clippedEnd: start + minutes * minute, clippedActiveMilliseconds: minutes * minute, milliPoints: -2_500)
  }

  private static func page(_ family: FamilySample, _ parts: PageData, isMonth: Bool = false) -> String {
    let report = UseReport(
      childID: family.childID, name: family.child.name, period: "day", from: isMonth ? "2026-11-01" : "2026-11-23",
      to: "2026-11-30",
      periods: [
        UseReport.Period(
          start: "2026-11-24", milliseconds: 3_600_000,
          categories: [CategoryToday(category: .reward, usedMilliseconds: 3_600_000)], rows: [])
      ])
    let today = family.plan.today
    let data = ChildPage.data(
      family.day, today, ChildPage.start(of: today), report, family.childRules, [family.peer], isMonth: isMonth,
      now: FamilySample.now)
    let page = FamilySample.render(
      ChildPage.page.template, data.merging(parts) { $1 }.merging(ChildActions.data(family.plan)) { $1 })
    FamilySample.check(page)
    return page
  }

  private static func points(_ held: [PointsEntry] = [], _ entries: [PointsEntry] = []) -> PointsListing {
    PointsListing(
      childName: FamilySample().child.name, balance: 12_500, here: 0, earnedToday: 0, redeemedMilliseconds: 0,
      parts: [], held: held, entries: entries)
  }

  private static func entry(_ words: String, note: String = "") throws -> PointsEntry {
    PointsEntry(
      source: try #require(RecordID(bytes: [UInt8](repeating: 2, count: 16))), short: "0202", kind: "earned",
      milliPoints: 2_000, day: .first, at: FamilySample.now, deviceName: DeviceName(sanitising: "Emma's PC"),
      words: words, note: note)
  }

  @Test func theSessionsOfADayAreDrawnAndWritten() throws {
    let family = FamilySample()
    let sessions = try [
      Self.session("kart", from: FamilySample.now - 60 * Self.minute, minutes: 30, name: FamilySample.hostile),
      Self.session("chess", from: FamilySample.now - 180 * Self.minute, minutes: 60),
    ]
    let data = DayLine.data(sessions, on: family.plan.today, family.plan, now: FamilySample.now)
    let line = try #require(data["line"] as? PageData)
    let bars = line["bars"] as? [PageData] ?? []
    // The day has 24 hours of 27 units, from midnight: kart from 11:00, chess from 9:00.
    let (starts, widths) = (bars.compactMap { $0["x"] as? Int }, bars.compactMap { $0["width"] as? Int })
    #expect(starts == [305, 251] && widths == [14, 27])
    #expect(line["following"] == nil)
    let page = Self.page(family, data)
    for part in ["09:00", "10:00", "11:30", "-2.5", "The day: Sun 29 Nov", "?day=2026-11-28", "Bedtime"] {
      #expect(page.contains(part) == (part != "Bedtime"), "\(part)")
    }
    let earlier = DayLine.data([], on: family.plan.today.advanced(byDays: -1), family.plan, now: FamilySample.now)
    let empty = Self.page(family, earlier)
    #expect(empty.contains("No session is recorded on this day.") && empty.contains("?day=2026-11-29"))
  }

  @Test func aMonthStandsBesideTheWeek() {
    let family = FamilySample()
    let (week, month) = (Self.page(family, [:]), Self.page(family, [:], isMonth: true))
    #expect(week.contains("Week of Mon 23 Nov") && week.contains("?month=2026-11-29"))
    #expect(month.contains("Month from Sun 1 Nov") && month.contains("?week=2026-11-29"))
    #expect(month.contains("Mon 30 Nov") && !month.contains("Tue 1 Dec"))
    #expect(month.contains("use.csv?from=2026-11-01&amp;to=2026-11-30"))
    #expect(PageClock.month(of: FamilyDay("2027-02-10") ?? .first).count == 28)
  }

  @Test func pointsWaitForAReviewAndAreGiven() throws {
    let family = FamilySample()
    let clock = PageClock(zone: "Europe/Berlin", now: FamilySample.now)
    let full = Self.points(
      [try Self.entry("learning held, \(FamilySample.hostile)")], [try Self.entry("given", note: FamilySample.hostile)])
    let page = Self.page(family, PointsSection.data(full, of: family.plan.child, clock))
    let record = String(repeating: "02", count: 16)
    for part in ["12.5 points", "+2", "/points/review", "value=\"approve\"", "value=\"\(record)\""] {
      #expect(page.contains(part), "\(part)")
    }
    let empty = Self.page(family, PointsSection.data(Self.points(), of: family.plan.child, clock))
    #expect(empty.contains("No points were earned or spent yet.") && !empty.contains("/points/review"))
    #expect(!Self.page(family, [:]).contains("/points/adjust"))
  }

  @Test func pointsAreTakenAndWhatIsOutOfReachIsSaid() async throws {
    let form = try #require(PageTable.form(at: "/points/adjust", for: .parent))
    let child = FamilySample().childID.description
    func send(_ fields: [String: String], _ made: Int64, asked: Int64) async throws -> [String] {
      let node = AnsweringNode([
        Endpoints.adjustPoints.route.operationID: PointsAdjusted(
          points: Self.points(), milliPoints: made, asked: asked, commands: [])
      ])
      let fields = FamilySample.fields(fields.merging(["child": child, "reason": "chores", "key": "0a"]) { $1 })
      return try await form.act(FormCall(node: node, fields: fields, now: 0, once: { _ in node })).sentences.map {
        $0.worded()
      }
    }
    #expect(try await send(["points": "2.5", "deed": "give"], 2_500, asked: 0) == ["Emma gets 2.5 points."])
    let taken = try await send(["points": "5", "deed": "take"], -2_000, asked: 3_000)
    #expect(taken.count == 2 && taken[0] == "Emma loses 2 points.")
    #expect(try await send(["points": "5", "deed": "take"], 0, asked: 0).first?.hasPrefix("Nothing was taken") == true)
    for fields in [
      ["points": "0", "deed": "give"], ["points": "x", "deed": "give"], ["points": "1", "deed": "steal"],
    ] {
      await #expect(throws: PageFault.self) { () async throws -> Void in _ = try await send(fields, 0, asked: 0) }
    }
  }

  @Test func bedtimeBeginsLaterToday() throws {
    var family = FamilySample()
    // 12:00 on Sunday.
    family.rules = [FamilySample.rule("schedule/bedtime", "20:00-07:00")]
    #expect(try ChildDayForms.later(family.plan, by: 30, now: FamilySample.now).times == "20:30-07:00")
    // It has begun: half an hour from now, at 21:10.
    let late = FamilySample.now + 550 * Self.minute
    let begun = try ChildDayForms.later(family.plan, by: 30, now: late)
    #expect(begun.times == "21:40-07:00" && begun.start == "21:40")
    #expect(throws: PageFault.self) {
      try ChildDayForms.later(family.plan, by: 240, now: late)
    }
    family.family = [FamilySample.rule("family/dayStart", "4", isFamilys: true)]
    #expect(try ChildDayForms.later(family.plan, by: 240, now: late).times == "01:10-07:00")
    // An exception for today takes the place of the plan.
    family.rules.append(FamilySample.rule("today/2026-11-29/bedtime", "13:00-14:00, 22:00-08:00"))
    #expect(try ChildDayForms.later(family.plan, by: 30, now: FamilySample.now).times == "13:30-14:00, 22:00-08:00")
    let none = try ChildDayForms.later(family.plan, by: 60, now: FamilySample.now)
    #expect(none.times == "22:00-08:00" && none.start == nil)
    family.rules = [FamilySample.rule("schedule/bedtime", "mon-fri 20:00-07:00")]
    #expect(throws: PageFault.self) { try ChildDayForms.later(family.plan, by: 30, now: FamilySample.now) }
    #expect(Self.page(family, [:]).contains("/children/later") == false)
  }

  @Test func whoOnlyLooksIsSentNoForm() {
    var family = FamilySample()
    family.rules = [FamilySample.rule("schedule/bedtime", "20:00-07:00")]
    let data = TimesPage.data(family.plan, now: FamilySample.now)
    func page(_ isLooking: Bool) -> String {
      FamilySample.render(TimesPage.template, data.merging(["isLooking": isLooking]) { $1 })
    }
    #expect(page(false).contains("action=\"/children/times\""))
    let looking = page(true)
    #expect(looking.matches(of: /<form/).count == 1 && looking.contains("action=\"/out\""), "\(looking)")
    #expect(!looking.contains("name=\"version\"") && looking.contains("20:00-07:00") && looking.hasSuffix("</html>\n"))
  }

  @Test func ofTwoPagesThatMoveTheBedtimeTheSecondIsTold() async throws {
    var family = FamilySample()
    family.rules = [FamilySample.rule("schedule/bedtime", "20:00-07:00")]
    let form = try #require(PageTable.form(at: "/children/later", for: .parent))
    let version = family.plan.version(of: .bedtime)
    #expect(Self.page(family, [:]).contains("name=\"version\" value=\"\(version)\""))
    func send(_ family: FamilySample) async throws -> [RuleRequest] {
      let node = AnsweringNode([
        Endpoints.getToday.route.operationID: family.day, Endpoints.getRules.route.operationID: family.childRules,
        Endpoints.getStatus.route.operationID: family.status,
        Endpoints.setRules.route.operationID: RuleEdit(rules: family.childRules, commands: []),
      ])
      let fields = FamilySample.fields([
        "child": family.childID.description, "minutes": "30", "version": version, "key": "0a",
      ])
      _ = try await form.act(FormCall(node: node, fields: fields, now: FamilySample.now, once: { _ in node }))
      return node.edits.withLock { $0 }
    }
    let edit = try #require(try await send(family).first)
    #expect(edit.changes == [.init("today/2026-11-29/bedtime", "20:30-07:00")])
    #expect(edit.seen?.first == .init("today/2026-11-29/bedtime", nil) && edit.seen?.count == 2)
    family.rules.append(FamilySample.rule("today/2026-11-29/bedtime", "20:30-07:00"))
    await #expect(throws: PageFault.self) { () async throws -> Void in _ = try await send(family) }
  }

  @Test func aMessageGoesToTheMachinesOfTheChild() async throws {
    let family = FamilySample()
    let form = try #require(PageTable.form(at: "/children/message", for: .parent))
    let node = AnsweringNode([
      Endpoints.getToday.route.operationID: family.day, Endpoints.getRules.route.operationID: family.childRules,
      Endpoints.getStatus.route.operationID: family.status,
    ])
    let fields = FamilySample.fields(["child": family.childID.description, "text": "Dinner is ready"])
    // The node of the test does not know the route of commands, which shows that it was asked.
    await #expect(throws: LocalAPIError(.internal, "\(Endpoints.issue.route.operationID) is not answered.")) {
      () async throws -> Void in _ = try await form.act(FormCall(node: node, fields: fields, now: 0))
    }
  }
}
