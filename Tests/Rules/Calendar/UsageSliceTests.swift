import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct UsageSliceTests {
  private func slice(
    _ start: Int64, _ end: Int64, active: Int64, earned: Int64 = 0, category: AppCategory = .learning
  ) throws -> UsageSlice {
    UsageSlice(
      appID: try #require(AppID("org.gnome.Chess")), displayName: "Chess", category: category,
      rate: PointsRate(milliPointsPerMinute: 1_000), start: start, end: end, activeMilliseconds: active,
      earnedMilliPoints: earned)
  }

  @Test func cutsDivideUseAsTheWallClockDivides() throws {
    let parts = try slice(0, 1_000, active: 100, earned: 10).cut(at: [-5, 0, 250, 251, 1_000, 1_001])
    #expect(parts.map(\.start) == [0, 250, 251])
    #expect(parts.map(\.end) == [250, 251, 1_000])
    #expect(parts.map(\.activeMilliseconds) == [25, 0, 75])
    #expect(parts.map(\.earnedMilliPoints) == [2, 0, 8])
  }

  @Test func cutPartsAddUpExactly() throws {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      let start = Int64.random(in: -1_000_000...4_000_000_000_000, using: &random)
      let length = Int64.random(in: 0...90_000_000, using: &random)
      let whole = try slice(
        start, start + length, active: Int64.random(in: 0...Int64.max, using: &random),
        earned: Int64.random(in: 0...1_000_000, using: &random))
      let cuts = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        start + Int64.random(in: -9...(length + 9), using: &random)
      }.sorted()
      let parts = whole.cut(at: cuts)
      let context: Comment = "seed \(random.seed): \(whole), cut at \(cuts)"
      #expect(parts.reduce(0) { $0 + $1.activeMilliseconds } == whole.activeMilliseconds, context)
      #expect(parts.reduce(0) { $0 + $1.earnedMilliPoints } == whole.earnedMilliPoints, context)
      #expect(parts.allSatisfy { $0.activeMilliseconds >= 0 && $0.earnedMilliPoints >= 0 }, context)
      #expect(parts.first?.start == start && parts.last?.end == start + length, context)
      #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.end == $1.start }, context)
    }
  }

  @Test func aSessionIsDividedAmongItsDays() throws {
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 0)
    let day = try #require(FamilyDay("2026-10-24"))
    let (start, end) = (boundary.start(of: day), boundary.end(of: day.advanced(byDays: 2)))
    // 24, 25 and 24 hours, in use all the time but for the first.
    let parts = boundary.slices(of: try slice(start + 3_600_000, end, active: end - start - 3_600_000))
    #expect(parts.map(\.day.description) == ["2026-10-24", "2026-10-25", "2026-10-26"])
    #expect(parts.map { $0.slice.activeMilliseconds / 3_600_000 } == [23, 25, 24])
    #expect(
      parts.allSatisfy { boundary.start(of: $0.day) <= $0.slice.start && $0.slice.end <= boundary.end(of: $0.day) })
  }

  @Test func aSessionUpToMidnightIsInOneDay() throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    #expect(boundary.slices(of: try slice(82_800_000, 86_400_000, active: 9)).map(\.day.description) == ["1970-01-01"])
    let parts = boundary.slices(of: try slice(82_800_000, 86_400_001, active: 9))
    #expect(parts.map(\.day.description) == ["1970-01-01", "1970-01-02"])
  }

  @Test func theDayLeftOutAtTheDateLineGetsNothing() throws {
    let boundary = try DayBoundary(zone: "Pacific/Apia", dayStartHour: 0)
    let jump = boundary.start(of: try #require(FamilyDay("2011-12-31")))
    let parts = boundary.slices(of: try slice(jump - 1_000, jump + 1_000, active: 2_000))
    #expect(parts.map(\.day.description) == ["2011-12-29", "2011-12-31"])
    #expect(parts.map(\.slice.activeMilliseconds) == [1_000, 1_000])
  }

  @Test(
    arguments: [
      (1_763_683_200_000, 1_763_683_200_000, 5_000), (1_763_769_600_000, 1_763_683_200_000, 5_000),
      (0, 1_763_683_200_000, 5_000), (.min, 1_763_683_200_000, .max), (0, 1_763_683_200_000, .max),
    ] as [(Int64, Int64, Int64)])
  func aSessionDuringWhichTheClockWasSetCountsWhereItEnded(start: Int64, end: Int64, active: Int64) throws {
    let boundary = try DayBoundary(zone: "UTC", dayStartHour: 0)
    let session = try slice(start, end, active: active)
    let parts = boundary.slices(of: session)
    #expect(parts.map(\.day.description) == ["2025-11-21"])
    #expect(parts.map(\.slice) == [session])
  }

  /// Returns what the parts of a session earn on their days.
  private static func earned(
    by session: UsageSlice, _ boundary: DayBoundary, _ carries: inout [FamilyDay: PointsRemainder]
  ) -> Int64 {
    boundary.slices(of: session).reduce(0) { sum, part in
      sum
        + PointsArithmetic.earned(
          activeMilliseconds: part.slice.activeMilliseconds, rate: part.slice.rate,
          carry: &carries[part.day, default: PointsRemainder()])
    }
  }

  @Test func aSessionCutAnywhereEarnsTheSame() throws {
    var random = SeededRandom()
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4)
    let base = boundary.start(of: try #require(FamilyDay("2026-10-24")))
    for _ in 0..<1_000 {
      let start = base + Int64.random(in: 0...90_000_000, using: &random)
      let end = start + Int64.random(in: 1...100_000_000, using: &random)
      var whole = try slice(start, end, active: end - start)
      whole.rate = PointsRate(milliPointsPerHour: Int64.random(in: 0...100_000, using: &random))
      var cuts = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int64.random(in: start...end, using: &random) }
      cuts.sort()
      var (atOnce, inParts): ([FamilyDay: PointsRemainder], [FamilyDay: PointsRemainder]) = ([:], [:])
      func earned(_ session: UsageSlice, _ carries: inout [FamilyDay: PointsRemainder]) -> Int64 {
        Self.earned(by: session, boundary, &carries)
      }
      let expected = earned(whole, &atOnce)
      let got = whole.cut(at: cuts).reduce(0) { $0 + earned($1, &inParts) }
      #expect(got == expected, "seed \(random.seed): \(whole), cut at \(cuts)")
      #expect(inParts.filter { $0.value.parts > 0 } == atOnce.filter { $0.value.parts > 0 }, "seed \(random.seed)")
    }
  }
}
