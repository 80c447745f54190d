extension DayBoundary {
  /// How much longer than the use in it a session may seem by the wall clock: 31 days, in milliseconds.
  ///
  /// Beyond it somebody has set the clock meanwhile, as on a machine that starts in 1970 until it hears the time.
  static let longestIdleMilliseconds: Int64 = 31 * 86_400_000

  /// The longest session that is divided: 400 days by the wall clock, in milliseconds.
  ///
  /// It bounds what one record from another machine can cost here.
  static let longestSessionMilliseconds: Int64 = 400 * 86_400_000

  /// Divide a session among the family days it lies in, the first day first; the parts add up exactly.
  ///
  /// A session without length by the wall clock, one during which the clock was set, and one of more than 400 days are
  /// counted whole in the day of their end.
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
