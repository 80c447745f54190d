import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What holds for a child at a moment, from what a real node has stored: Protocol/11-rules.md §5,
/// §9.
@Suite struct StandingTests {
  /// A child whose week had begun long before the present one, so that the day of the test changes
  /// nothing.
  private struct Week {
    let home: HomeNode
    let child: ChildID
    let monday: FamilyDay

    /// Returns the time of a clock on a day of the week, counted from 0.
    func time(_ day: Int, _ hour: Int64) throws -> Int64 {
      try DayBoundary(zone: "UTC", dayStartHour: 0).start(of: monday.advanced(byDays: day)) + hour * 3_600_000
    }

    /// Returns what holds for the child at that time.
    func standing(_ day: Int, _ hour: Int64) async throws -> ChildStanding {
      let household = try await home.service.context.readHousehold()
      return try await home.service.context.standing(of: child, household, at: time(day, hour))
    }

    /// Records hours of use from that time on.
    func use(_ day: Int, _ hour: Int64, hours: Int64) async throws {
      let context = home.service.context
      var record = SampleValues.record
      record.recordID = try #require(RecordID(bytes: [UInt8](repeating: UInt8(day * 24 + Int(hour)), count: 16)))
      (record.device, record.child) = (context.own, child)
      (record.category, record.earnedMilliPoints, record.milliPointsPerMinute) = (.neutral, 0, 0)
      record.sessionStart = try time(day, hour)
      record.sessionEnd = record.sessionStart + hours * 3_600_000
      (record.householdStart, record.activeMilliseconds) = (record.sessionStart, hours * 3_600_000)
      _ = try await context.store.record([record], at: context.wall())
    }
  }

  private func withWeek(_ body: (Week) async throws -> Void) async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      let today = try DayBoundary(zone: "UTC", dayStartHour: 0).day(containing: home.service.context.wall())
      try await body(
        Week(home: home, child: home.children[0], monday: today.startOfWeek.advanced(byDays: -7)))
    }
  }

  @Test("Use within time that an answer granted counts neither for the week nor for what goes over to the next day")
  func answeredOnAnEarlierDay() async throws {
    try await withWeek { week in
      let context = week.home.service.context
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      try await week.home.save([
        Register(.child(week.child), "limits/weekly", "600", modified: modified),
        Register(.child(week.child), "limits/daily", "90", modified: modified),
        Register(.child(week.child), "limits/carryOver", "90", modified: modified),
      ])
      let id = try #require(CommandID(bytes: [UInt8](repeating: 7, count: 16)))
      let request = ChildRequest(
        id: id, device: context.own, at: try week.time(0, 9), wish: try ChildRequest.Wish(typed: "time 60"),
        day: week.monday, reason: "level")
      let answer = RequestAnswer(
        request: id, verdict: try RequestAnswer.Verdict(typed: "yes"), day: week.monday, word: "",
        modified: HybridTimestamp(wall: try week.time(0, 10), counter: 0, author: context.own))
      _ = try await context.store.act(context.editMaker, at: context.wall()) { effects, _ -> (Bool, ActOrders) in
        try effects.add(Fact(week.child, .request, request.text))
        try effects.add(Fact(week.child, .answer, answer.text))
        return (true, .none)
      }
      try await week.use(0, 11, hours: 2)
      let standing = try await week.standing(1, 1)
      #expect(standing.rules.grants[week.monday]?[id]?.minutes == 60)
      let weekly = standing.explained(.otherPrograms).first { $0.rule == "weeklyLimit" }
      #expect(weekly?.leftMilliseconds == 32_400_000, "Of 10 hours, 9 are left: of 2 used, one was granted.")
      #expect(standing.carried == 30 * 60_000)
    }
  }

  @Test("At an earlier moment, what was used after it does not count")
  func earlierMoment() async throws {
    try await withWeek { week in
      try await week.use(1, 10, hours: 1)
      try await week.use(1, 14, hours: 1)
      try await week.use(3, 10, hours: 1)
      #expect(try await week.standing(1, 9).today.screen == 0)
      let noon = try await week.standing(1, 12)
      #expect(noon.today.screen == 3_600_000 && noon.screenVerdict.isAllowed)
      #expect(try await week.standing(1, 23).today.screen == 7_200_000)
      #expect(try await week.standing(2, 12).today.screen == 0)
      #expect(try await week.standing(2, 12).weekMilliseconds == 7_200_000)
    }
  }
}
