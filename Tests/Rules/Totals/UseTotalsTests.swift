import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct UseTotalsTests {
  @Test func twoAccountsAtOnceAreOneSpan() throws {
    let boundary = try DayBoundary(zone: "Europe/Berlin", dayStartHour: 0)
    var totals = UseTotals(boundary)
    let start = try HouseholdSamples.instant("2026-11-23T15:00:00Z")
    let game = try HouseholdSamples.app("game")
    let book = try HouseholdSamples.app("book")
    let minute = HouseholdSamples.minute
    totals.add(UseSpan(app: game, category: .reward, start: start, milliseconds: 30 * minute))
    totals.add(UseSpan(app: game, category: .reward, start: start + 10 * minute, milliseconds: 30 * minute))
    totals.add(UseSpan(app: book, category: .learning, start: start + 20 * minute, milliseconds: 40 * minute))
    totals.add(UseSpan(app: nil, category: .neutral, start: start + 60 * minute, milliseconds: 5 * minute))
    let use = try #require(totals.use[try HouseholdSamples.day("2026-11-23")])
    #expect(use.screen == 65 * minute)
    #expect(use.categories == [.reward: 40 * minute, .learning: 40 * minute, .neutral: 5 * minute])
    #expect(use.apps == [game: 40 * minute, book: 40 * minute])
    // A running session is added again as it grows.
    totals.add(UseSpan(app: nil, category: .neutral, start: start + 60 * minute, milliseconds: 7 * minute))
    #expect(totals.use.values.first?.screen == 67 * minute)
    totals.forget(before: try HouseholdSamples.day("2026-11-24"))
    #expect(totals.use.isEmpty)
  }

  @Test func theTotalsAreThoseOfASetOfInstantsInEveryOrder() throws {
    var random = SeededRandom()
    for _ in 0..<60 {
      let boundary = try DayBoundary(
        zone: random.pick(["Europe/Berlin", "UTC", "Asia/Kathmandu"]), dayStartHour: random.below(24))
      // The night in which clocks go back in Berlin. A second stands for a unit.
      let start = try HouseholdSamples.instant("2026-10-24T18:00:00Z")
      let apps = try ["a", "b"].map { try HouseholdSamples.app($0) }
      let spans = (0..<30).map { _ in
        UseSpan(
          app: random.pick(apps), category: random.pick(AppCategory.allCases),
          start: start + Int64(random.below(800)) * 60_000, milliseconds: Int64(random.below(300)) * 60_000)
      }
      var expected: [FamilyDay: Set<Int64>] = [:]
      var inApp: [FamilyDay: Set<Int64>] = [:]
      for span in spans {
        for minute in 0..<(span.milliseconds / 60_000) {
          let instant = span.start + minute * 60_000
          expected[boundary.day(containing: instant), default: []].insert(instant)
          if span.app == apps[0] { inApp[boundary.day(containing: instant), default: []].insert(instant) }
        }
      }
      for _ in 0..<2 {
        var totals = UseTotals(boundary)
        for span in spans.shuffled(using: &random) {
          for _ in 0...random.below(2) {
            // The same use in parts, which may overlap.
            let cut = Int64(random.below(300)) * 60_000
            if cut < span.milliseconds {
              var part = span
              part.milliseconds = cut
              totals.add(part)
              part.start += cut
              part.milliseconds = span.milliseconds - cut
              totals.add(part)
            }
            totals.add(span)
          }
        }
        #expect(totals.use.mapValues(\.screen) == expected.mapValues { Int64($0.count) * 60_000 }, "\(random.note)")
        let inTotals = totals.use.compactMapValues { $0.apps[apps[0]] }.filter { $0.value > 0 }
        #expect(inTotals == inApp.mapValues { Int64($0.count) * 60_000 }, "\(random.note)")
      }
    }
  }

  @Test func useWithinTheHoursOfALimitIsAddedUp() throws {
    let game = try HouseholdSamples.app("game")
    let pen = try HouseholdSamples.app("pen")
    let fun = try #require(GroupName("fun"))
    let rules = try HouseholdSamples.rules([
      ("family/zone", "Europe/Berlin"), ("family/dayStart", "4"), ("app/game/limit", "60 within 22:00-05:00"),
      ("app/game/limit/tue", "60"), ("group/fun/members", "game\npen"), ("group/fun/limit", "60 within 16:00-20:00"),
    ])
    var totals = UseTotals(rules)
    let hour = HouseholdSamples.hour
    // Monday from 19:00 to Tuesday 06:00, the game twice at once, and the pen from 18:00 to 21:00.
    let start = try HouseholdSamples.instant("2026-11-23T18:00:00Z")
    for _ in 0..<2 {
      totals.add(UseSpan(app: game, category: .reward, start: start, milliseconds: 11 * hour))
      totals.add(UseSpan(app: game, category: .neutral, start: start + hour, milliseconds: 4 * hour))
      totals.add(UseSpan(app: pen, category: .neutral, start: start - hour, milliseconds: 3 * hour))
    }
    let monday = try #require(totals.use[try HouseholdSamples.day("2026-11-23")])
    // The hours end at 04:00 with the day.
    #expect(monday.appsWithin == [game: 6 * hour] && monday.apps[game] == 9 * hour)
    #expect(monday.groupsWithin == [fun: 2 * hour] && monday.groups == [fun: 10 * hour])
    // The limit of Tuesday has no hours.
    let tuesday = try #require(totals.use[try HouseholdSamples.day("2026-11-24")])
    #expect(tuesday.appsWithin == [game: 2 * hour] && tuesday.groupsWithin.isEmpty)
  }

  @Test func breaksFollowFromProgramsOnADayWithoutTimeAtAMachine() throws {
    let start = try HouseholdSamples.instant("2026-11-23T15:00:00Z")
    let (minute, day) = (HouseholdSamples.minute, 24 * HouseholdSamples.hour)
    let (pen, book) = (try HouseholdSamples.app("pen"), try HouseholdSamples.app("book"))
    var totals = UseTotals(try DayBoundary(zone: "Europe/Berlin", dayStartHour: 0), isLearningFree: true)
    for begin in [start, start + day] {
      totals.add(UseSpan(app: pen, category: .neutral, start: begin, milliseconds: 30 * minute))
      totals.add(UseSpan(app: book, category: .learning, start: begin, milliseconds: 90 * minute))
    }
    let both = [start..<start + 30 * minute, start + day..<start + day + 30 * minute]
    #expect(totals.presence.ranges == both)
    totals.add(UseSpan(app: .screenTime, category: .neutral, start: start + day, milliseconds: minute))
    #expect(totals.presence.ranges == [both[0], start + day..<start + day + minute])
  }

  @Test func noStretchTraps() throws {
    var random = SeededRandom()
    var totals = UseTotals(try DayBoundary(zone: "Europe/Berlin", dayStartHour: 4))
    let numbers: [Int64] = [.min, -1, 0, 1, 1_795_446_000_000, HybridTimestamp.wallLimit - 1, .max]
    for _ in 0..<500 {
      totals.add(
        UseSpan(app: nil, category: .neutral, start: random.pick(numbers), milliseconds: random.pick(numbers)))
    }
  }
}
