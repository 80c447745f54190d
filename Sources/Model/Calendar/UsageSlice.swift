/// A session of one application, or the part of one that lies in a family day.
public struct UsageSlice: Hashable, Sendable {
  /// The application.
  public var appID: AppID
  /// Its name for people.
  public var displayName: String
  /// What its use did to points at the time.
  public var category: AppCategory
  /// What its use earned or cost at the time.
  public var rate: PointsRate
  /// Unix milliseconds.
  public var start: Int64
  /// Unix milliseconds; the slice ends before it.
  public var end: Int64
  /// Milliseconds of use, which may be fewer than lie between start and end.
  public var activeMilliseconds: Int64
  /// What the session's record says was earned by it, in milli-points.
  public var earnedMilliPoints: Int64

  /// Put a slice together; times in Unix milliseconds, durations in milliseconds.
  public init(
    appID: AppID, displayName: String, category: AppCategory, rate: PointsRate, start: Int64, end: Int64,
    activeMilliseconds: Int64, earnedMilliPoints: Int64
  ) {
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.rate = rate
    self.start = start
    self.end = end
    self.activeMilliseconds = activeMilliseconds
    self.earnedMilliPoints = earnedMilliPoints
  }

  /// Take a whole session from its record.
  public init(_ record: UsageRecord) {
    self.init(
      appID: record.appID, displayName: record.displayName, category: record.category,
      rate: PointsRate(milliPointsPerMinute: record.milliPointsPerMinute), start: record.sessionStart,
      end: record.sessionEnd, activeMilliseconds: record.activeMilliseconds,
      earnedMilliPoints: record.earnedMilliPoints)
  }

  /// Cut the slice at instants, dividing use and earnings as the wall clock divides; the parts add up exactly.
  ///
  /// - Parameter instants: Unix milliseconds, ascending; those not inside the slice are left out.
  public func cut(at instants: some Sequence<Int64>) -> [UsageSlice] {
    var parts: [UsageSlice] = []
    var rest = self
    for instant in instants where instant > rest.start && instant < rest.end {
      var part = rest
      part.end = instant
      // Shares are taken of the whole, not of the rest, so that one cut does not move the next.
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
