import LatchkeyModel

/// A session of one application, or the part of it in one family day.
public struct UsageSlice: Hashable, Sendable {
  public var appID: AppID
  public var displayName: String
  /// The effect of the use on points, as it was at that time.
  public var category: AppCategory
  public var rate: PointsRate
  /// The start in Unix milliseconds.
  public var start: Int64
  /// The end in Unix milliseconds, which is not part of the slice.
  public var end: Int64
  /// The time of use in milliseconds, which may be shorter than the time between start and end.
  public var activeMilliseconds: Int64
  /// The points earned according to the session's record, in milli-points.
  public var earnedMilliPoints: Int64

  public init(
    appID: AppID, displayName: String, category: AppCategory, rate: PointsRate, start: Int64, end: Int64,
    activeMilliseconds: Int64, earnedMilliPoints: Int64
  ) {
    (self.appID, self.displayName, self.category) = (appID, displayName, category)
    (self.rate, self.start, self.end) = (rate, start, end)
    (self.activeMilliseconds, self.earnedMilliPoints) = (activeMilliseconds, earnedMilliPoints)
  }

  public init(_ record: UsageRecord) {
    self.init(
      appID: record.appID, displayName: record.displayName, category: record.category,
      rate: PointsRate(milliPointsPerMinute: record.milliPointsPerMinute), start: record.sessionStart,
      end: record.sessionEnd, activeMilliseconds: record.activeMilliseconds,
      earnedMilliPoints: record.earnedMilliPoints)
  }

  /// Returns the slice divided at instants, with use and earnings in proportion to the wall clock.
  ///
  /// The parts add up exactly.
  ///
  /// `instants` are in Unix milliseconds and ascending. Those outside the slice are ignored.
  public func cut(at instants: some Sequence<Int64>) -> [UsageSlice] {
    var parts: [UsageSlice] = []
    var rest = self
    for instant in instants where instant > rest.start && instant < rest.end {
      var part = rest
      part.end = instant
      // Shares are computed from the whole rather than the rest, so that one cut does not affect
      // the next.
      let passed = Int128(instant) - Int128(start)
      let length = Int128(end) - Int128(start)
      let active = Int64(Int128(activeMilliseconds) * passed / length)
      let earned = Int64(Int128(earnedMilliPoints) * passed / length)
      part.activeMilliseconds = active - (activeMilliseconds - rest.activeMilliseconds)
      part.earnedMilliPoints = earned - (earnedMilliPoints - rest.earnedMilliPoints)
      parts.append(part)
      rest.start = instant
      rest.activeMilliseconds = activeMilliseconds - active
      rest.earnedMilliPoints = earnedMilliPoints - earned
    }
    return parts + [rest]
  }
}

/// A stretch of use of one application on one of a child's machines.
public struct UseSpan: Hashable, Sendable {
  /// The application; `nil` if only the category is known.
  public var app: AppID?
  public var category: AppCategory
  /// The start in household time, Unix milliseconds.
  public var start: Int64
  public var milliseconds: Int64

  public init(app: AppID?, category: AppCategory, start: Int64, milliseconds: Int64) {
    (self.app, self.category, self.start, self.milliseconds) = (app, category, start, milliseconds)
  }

  /// Returns the part before a time; `nil` if there is none.
  public func before(_ time: Int64) -> UseSpan? {
    guard start < time else { return nil }
    var part = self
    part.milliseconds = min(milliseconds, Moment.difference(time, start))
    return part
  }

  /// Creates the stretch of a session: from its start, as long as its active time.
  public init(_ record: UsageRecord) {
    self.init(
      app: record.appID, category: record.category, start: record.sessionStart, milliseconds: record.activeMilliseconds)
  }
}
