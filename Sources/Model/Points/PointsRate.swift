/// The exact number of points that an hour of use earns or costs.
///
/// Settings and records contain rates in whole milli-points per minute, which cannot express "20
/// points an hour" (333⅓ milli-points a minute). Whole milli-points per *hour* express both, and
/// all arithmetic uses this unit, so that 1,800 s at 20 points an hour are 10 points rather than
/// 9.99.
public struct PointsRate: Hashable, Sendable, Comparable {
  /// The highest rate: 1,000,000 points per minute.
  public static let highest = PointsRate(unchecked: Limits.milliPointsPerMinute.upperBound * 60)

  /// The rate in milli-points per hour of use, 0 to 60,000,000,000.
  public let milliPointsPerHour: Int64

  private init(unchecked milliPointsPerHour: Int64) {
    self.milliPointsPerHour = milliPointsPerHour
  }

  /// Creates a rate from milli-points per minute, as in settings and records, limited to the valid
  /// range.
  public init(milliPointsPerMinute: Int64) {
    let highest = Self.highest.milliPointsPerHour / 60
    self.init(unchecked: min(max(milliPointsPerMinute, 0), highest) * 60)
  }

  /// Creates a rate from milli-points per hour, limited to the valid range: 20,000 is 20 points an
  /// hour.
  public init(milliPointsPerHour: Int64) {
    self.init(unchecked: min(max(milliPointsPerHour, 0), Self.highest.milliPointsPerHour))
  }

  public static func < (left: PointsRate, right: PointsRate) -> Bool {
    left.milliPointsPerHour < right.milliPointsPerHour
  }
}

/// The fraction below one milli-point that is carried from one stretch of use to the next.
///
/// There is one for each child, application, category and family day, and it starts at 0. It does
/// not depend on a rate, so the rate may change between two stretches. For earnings, it is what the
/// child has yet to receive; for costs, what the child has paid in advance.
public struct PointsRemainder: Hashable, Sendable {
  /// The number of parts of one milli-point: the milliseconds of an hour, since rates are per hour.
  public static let partsPerMilliPoint: Int64 = 3_600_000

  /// The number of parts of a milli-point, 0 to 3,599,999.
  public internal(set) var parts: Int64

  /// Creates the remainder of 0 with which a day starts.
  public init() {
    parts = 0
  }

  /// Creates a remainder from a stored number of parts, 0 to 3,599,999; `nil` for any other number.
  public init?(parts: Int64) {
    guard (0..<Self.partsPerMilliPoint).contains(parts) else { return nil }
    self.parts = parts
  }
}
