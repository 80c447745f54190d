/// Points from time and rates, in whole milli-points and with nothing lost between two stretches of use.
///
/// Earnings are rounded down and costs up, each over the whole day and not at every stretch, because the remainder is
/// carried. So cutting a session anywhere within a day changes nothing, and no order of earning, paying and being
/// refunded ends with more than the time was worth. Nothing here overflows, whatever a record says.
public enum PointsArithmetic {
  /// The longest time that counts in one stretch: 100 years, in milliseconds.
  public static let longestMilliseconds: Int64 = 100 * 366 * 86_400_000

  /// Tell whether a session is long enough to earn.
  ///
  /// Ask it of the whole session: the parts it may be cut into at the edges of days earn with it.
  ///
  /// - Parameters:
  ///   - sessionMilliseconds: Milliseconds of use of the whole session.
  ///   - minimumSessionMinutes: The family's minimum in minutes; 0 or less admits every session.
  public static func earns(sessionMilliseconds: Int64, minimumSessionMinutes: Int) -> Bool {
    Int128(sessionMilliseconds) >= Int128(minimumSessionMinutes) * 60_000
  }

  /// Give what a stretch of use earns, in milli-points, and carry what is left over.
  ///
  /// - Parameters:
  ///   - activeMilliseconds: Milliseconds of use; less than nothing counts as nothing, more than 100 years as that.
  ///   - rate: The rate at the time of use.
  ///   - carry: What earlier stretches of the same application left over that day.
  public static func earned(activeMilliseconds: Int64, rate: PointsRate, carry: inout PointsRemainder) -> Int64 {
    let (milliPoints, parts) = (worth(activeMilliseconds, rate) + Int128(carry.parts)).quotientAndRemainder(
      dividingBy: Int128(PointsRemainder.partsPerMilliPoint))
    carry.parts = Int64(parts)
    return Int64(milliPoints)
  }

  /// Give what a whole session earns, in milli-points: nothing unless it is of a learning application and long enough.
  ///
  /// - Parameters:
  ///   - session: The session as it happened; what it says was earned is not looked at.
  ///   - minimumSessionMinutes: The family's minimum in minutes.
  ///   - boundary: The family's days.
  ///   - carries: What earlier sessions of the application left over, for each day of this session; none is nothing.
  public static func earned(
    by session: UsageSlice, minimumSessionMinutes: Int, boundary: DayBoundary,
    carries: inout [FamilyDay: PointsRemainder]
  ) -> Int64 {
    guard session.category == .learning,
      earns(sessionMilliseconds: session.activeMilliseconds, minimumSessionMinutes: minimumSessionMinutes)
    else { return 0 }
    return boundary.slices(of: session).reduce(0) { sum, part in
      sum
        + earned(
          activeMilliseconds: part.slice.activeMilliseconds, rate: part.slice.rate,
          carry: &carries[part.day, default: PointsRemainder()])
    }
  }

  /// Give what a stretch of use costs, in milli-points, and carry what is paid ahead.
  ///
  /// - Parameters:
  ///   - activeMilliseconds: Milliseconds of use; less than nothing counts as nothing, more than 100 years as that.
  ///   - rate: The rate at the time of use.
  ///   - carry: What earlier stretches of the same application paid ahead that day.
  public static func cost(activeMilliseconds: Int64, rate: PointsRate, carry: inout PointsRemainder) -> Int64 {
    let unit = Int128(PointsRemainder.partsPerMilliPoint)
    let due = worth(activeMilliseconds, rate) - Int128(carry.parts)
    guard due > 0 else {
      carry.parts = Int64(-due)
      return 0
    }
    let milliPoints = (due + unit - 1) / unit
    carry.parts = Int64(milliPoints * unit - due)
    return Int64(milliPoints)
  }

  /// Give what comes back, in milli-points, when time was paid for and only part of it used.
  ///
  /// Never more than was paid, and less than nothing never.
  ///
  /// - Parameters:
  ///   - paidMilliPoints: Milli-points paid for the whole time.
  ///   - usedMilliseconds: Milliseconds of it that were used.
  ///   - rate: The rate that was paid, not the one in force now.
  public static func refund(paidMilliPoints: Int64, usedMilliseconds: Int64, rate: PointsRate) -> Int64 {
    var nothing = PointsRemainder()
    let spent = cost(activeMilliseconds: usedMilliseconds, rate: rate, carry: &nothing)
    return spent >= paidMilliPoints ? 0 : paidMilliPoints - spent
  }

  /// Time times rate, in parts of a milli-point; at most 2 × 10²³, which no 64 bits hold.
  private static func worth(_ milliseconds: Int64, _ rate: PointsRate) -> Int128 {
    Int128(min(max(milliseconds, 0), longestMilliseconds)) * Int128(rate.milliPointsPerHour)
  }
}
