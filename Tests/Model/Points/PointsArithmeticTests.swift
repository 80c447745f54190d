import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct PointsArithmeticTests {
  @Test func halfAnHourAtTwentyPointsAnHourIsTenPoints() {
    var carry = PointsRemainder()
    let rate = PointsRate(milliPointsPerHour: 20_000)
    #expect(PointsArithmetic.earned(activeMilliseconds: 1_800_000, rate: rate, carry: &carry) == 10_000)
    #expect(carry == PointsRemainder())
  }

  @Test func twentyPointsAnHourStayExactSecondBySecond() {
    let rate = PointsRate(milliPointsPerHour: 20_000)
    var carry = PointsRemainder()
    var sum: Int64 = 0
    for _ in 0..<1_800 { sum += PointsArithmetic.earned(activeMilliseconds: 1_000, rate: rate, carry: &carry) }
    #expect(sum == 10_000)
  }

  @Test(
    arguments: [
      (60_000, 2_000, 2_000), (59_999, 1_000, 999), (60, 1_000, 1), (59, 1_000, 0), (0, 1_000, 0), (60_000, 0, 0),
      (3_600_000, 333, 19_980), (-5, 1_000, 0), (60_000, -7, 0),
    ] as [(Int64, Int64, Int64)])
  func earns(milliseconds: Int64, milliPointsPerMinute: Int64, milliPoints: Int64) {
    var carry = PointsRemainder()
    let rate = PointsRate(milliPointsPerMinute: milliPointsPerMinute)
    #expect(PointsArithmetic.earned(activeMilliseconds: milliseconds, rate: rate, carry: &carry) == milliPoints)
  }

  @Test(
    arguments: [
      (60_000, 2_000, 2_000), (59_999, 1_000, 1_000), (60, 1_000, 1), (61, 1_000, 2), (1, 1, 1), (0, 1_000, 0),
      (60_000, 0, 0), (-5, 1_000, 0),
    ] as [(Int64, Int64, Int64)])
  func costs(milliseconds: Int64, milliPointsPerMinute: Int64, milliPoints: Int64) {
    var carry = PointsRemainder()
    let rate = PointsRate(milliPointsPerMinute: milliPointsPerMinute)
    #expect(PointsArithmetic.cost(activeMilliseconds: milliseconds, rate: rate, carry: &carry) == milliPoints)
  }

  @Test func aMinutesRateIsSixtyTimesItselfAnHourAndKeptWithinBounds() {
    #expect(PointsRate(milliPointsPerMinute: 1).milliPointsPerHour == 60)
    #expect(PointsRate(milliPointsPerMinute: 1_000_000_000) == .highest)
    #expect(PointsRate(milliPointsPerMinute: .max) == .highest)
    #expect(PointsRate(milliPointsPerHour: .max) == .highest)
    #expect(PointsRate(milliPointsPerMinute: .min) == PointsRate(milliPointsPerHour: 0))
    #expect(PointsRate(milliPointsPerHour: .min) < PointsRate(milliPointsPerMinute: 1))
  }

  @Test func whateverARecordSaysNothingOverflows() {
    var carry = PointsRemainder(parts: 3_599_999) ?? PointsRemainder()
    let century = PointsArithmetic.longestMilliseconds / 60_000 * 1_000_000_000
    #expect(PointsArithmetic.earned(activeMilliseconds: .max, rate: .highest, carry: &carry) == century)
    #expect(PointsArithmetic.cost(activeMilliseconds: .max, rate: .highest, carry: &carry) == century)
    #expect(PointsArithmetic.earned(activeMilliseconds: .min, rate: .highest, carry: &carry) == 0)
    #expect(PointsArithmetic.refund(paidMilliPoints: .max, usedMilliseconds: .max, rate: .highest) == .max - century)
    #expect(PointsArithmetic.refund(paidMilliPoints: .min, usedMilliseconds: .min, rate: .highest) == 0)
  }

  @Test func aStoredRemainderOutOfRangeIsRefused() {
    #expect(PointsRemainder(parts: -1) == nil)
    #expect(PointsRemainder(parts: 3_600_000) == nil)
    #expect(PointsRemainder(parts: 3_599_999)?.parts == 3_599_999)
  }

  @Test(
    arguments: [
      (0, 0, true), (1, 0, true), (0, -3, true), (299_999, 5, false), (300_000, 5, true), (.max, .max, false),
      (-1, 0, false),
    ] as [(Int64, Int, Bool)])
  func shortSessionsEarnNothing(milliseconds: Int64, minutes: Int, earns: Bool) {
    #expect(PointsArithmetic.earns(sessionMilliseconds: milliseconds, minimumSessionMinutes: minutes) == earns)
  }

  @Test func cuttingAStretchAnywhereChangesNoPoints() {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      let rate = PointsRate(milliPointsPerHour: Int64.random(in: 0...10_000_000, using: &random))
      let whole = Int64.random(in: 0...86_400_000, using: &random)
      let before = Int64.random(in: 0..<3_600_000, using: &random)
      let parts = random.parts(of: whole, count: Int.random(in: 1...40, using: &random))
      for points in [PointsArithmetic.earned, PointsArithmetic.cost] {
        var atOnce = PointsRemainder(parts: before) ?? PointsRemainder()
        var inParts = atOnce
        let expected = points(whole, rate, &atOnce)
        let got = parts.reduce(0) { $0 + points($1, rate, &inParts) }
        #expect(got == expected && inParts == atOnce, "seed \(random.seed): \(whole) ms at \(rate), cut \(parts)")
      }
    }
  }

  @Test func stretchesAtDifferentRatesGiveTheSameInAnyOrder() {
    var random = SeededRandom()
    for _ in 0..<500 {
      let stretches = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        (
          milliseconds: Int64.random(in: 0...7_200_000, using: &random),
          rate: PointsRate(milliPointsPerMinute: Int64.random(in: 0...5_000, using: &random))
        )
      }
      let exact = stretches.reduce(0) { $0 + $1.milliseconds * $1.rate.milliPointsPerHour }
      for order in [stretches, stretches.shuffled(using: &random)] {
        var (owed, ahead) = (PointsRemainder(), PointsRemainder())
        var (earned, cost) = (Int64(0), Int64(0))
        for (milliseconds, rate) in order {
          earned += PointsArithmetic.earned(activeMilliseconds: milliseconds, rate: rate, carry: &owed)
          cost += PointsArithmetic.cost(activeMilliseconds: milliseconds, rate: rate, carry: &ahead)
        }
        #expect(earned == exact / 3_600_000, "seed \(random.seed)")
        #expect(cost == (exact + 3_599_999) / 3_600_000, "seed \(random.seed)")
      }
    }
  }

  @Test func noSequenceOfEarningPayingAndRefundingGains() {
    var random = SeededRandom()
    for _ in 0..<500 {
      var balance: Int64 = 0
      var worth: Int64 = 0  // What the use was worth exactly, in parts of a milli-point.
      var carry = PointsRemainder()
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let rate = PointsRate(milliPointsPerHour: Int64.random(in: 0...500_000, using: &random))
        let milliseconds = Int64.random(in: 0...400_000, using: &random)
        if Bool.random(using: &random) {
          balance += PointsArithmetic.earned(activeMilliseconds: milliseconds, rate: rate, carry: &carry)
          worth += milliseconds * rate.milliPointsPerHour
        } else {
          var nothing = PointsRemainder()
          let paid = PointsArithmetic.cost(activeMilliseconds: milliseconds, rate: rate, carry: &nothing)
          let used = Int64.random(in: 0...milliseconds, using: &random)
          balance += PointsArithmetic.refund(paidMilliPoints: paid, usedMilliseconds: used, rate: rate) - paid
          worth -= used * rate.milliPointsPerHour
        }
        #expect(Int128(balance) * 3_600_000 <= Int128(worth), "seed \(random.seed)")
      }
    }
  }

  @Test func whatWasPaidAndNotUsedComesBackWhole() {
    let rate = PointsRate(milliPointsPerMinute: 2_000)
    #expect(PointsArithmetic.refund(paidMilliPoints: 60_000, usedMilliseconds: 0, rate: rate) == 60_000)
    #expect(PointsArithmetic.refund(paidMilliPoints: 60_000, usedMilliseconds: 600_000, rate: rate) == 40_000)
    #expect(PointsArithmetic.refund(paidMilliPoints: 60_000, usedMilliseconds: 600_001, rate: rate) == 39_999)
    #expect(PointsArithmetic.refund(paidMilliPoints: 60_000, usedMilliseconds: 9_000_000, rate: rate) == 0)
  }
}

extension SeededRandom {
  /// Returns up to `count` parts of a whole number, none negative, that add up to it.
  fileprivate mutating func parts(of whole: Int64, count: Int) -> [Int64] {
    var edges = (1..<max(count, 1)).map { _ in Int64.random(in: 0...whole, using: &self) }.sorted()
    edges.append(whole)
    return zip(edges, [0] + edges).map { $0 - $1 }
  }

  @Test func aSumStaysWithin64Bits() {
    #expect([Int64]().limitedSum == 0)
    #expect([3, -5].limitedSum == -2)
    #expect([Int64.max, 1].limitedSum == .max)
    #expect([Int64.min, -1].limitedSum == .min)
    #expect([Int64.max, 1, -2].limitedSum == .max - 1, "The order makes no difference.")
  }
}
