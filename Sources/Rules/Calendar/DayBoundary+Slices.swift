import LatchkeyModel

extension DayBoundary {
  /// The largest difference between a session's length by the wall clock and the use in it: 31
  /// days, in milliseconds.
  ///
  /// If it is larger, the clock was changed during the session, as on a machine that starts in 1970
  /// until it learns the time.
  static let longestIdleMilliseconds: Int64 = 31 * 86_400_000

  /// The longest session that is divided: 400 days by the wall clock, in milliseconds.
  ///
  /// It limits the work that one record from another machine can cause.
  static let longestSessionMilliseconds: Int64 = 400 * 86_400_000

  /// Divides a session among the family days that it covers, first day first.
  ///
  /// The parts add up exactly.
  ///
  /// A session without length by the wall clock, one during which the clock was changed, and one of
  /// more than 400 days are counted as a whole in the day of their end.
  public func slices(of session: UsageSlice) -> [(day: FamilyDay, slice: UsageSlice)] {
    let length = Int128(session.end) - Int128(session.start)
    let idle = length - Int128(min(session.activeMilliseconds, PointsArithmetic.longestMilliseconds))
    let isWhole = length <= 0 || length > Int128(Self.longestSessionMilliseconds)
    guard !isWhole, idle <= Int128(Self.longestIdleMilliseconds) else {
      return [(day(containing: session.end), session)]
    }
    var days = [day(containing: session.start)]
    var cuts: [Int64] = []
    var edge = end(of: days[0])
    while edge < session.end, let last = days.last, last < .last {
      let next = day(containing: edge)
      days.append(next)
      cuts.append(edge)
      edge = end(of: next)
    }
    return Array(zip(days, session.cut(at: cuts)))
  }
}
