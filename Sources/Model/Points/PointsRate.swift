/// How many points an hour of use earns or costs, exactly.
///
/// Settings and records hold rates in whole milli-points per minute. A whole number per minute cannot say "20 points an
/// hour", which is 333⅓ of them; a whole number of milli-points per *hour* says both, as a minute's rate is sixty times
/// itself. Arithmetic is done in this unit alone, so that 1,800 s at 20 points an hour is 10 points, not 9.99.
public struct PointsRate: Hashable, Sendable, Comparable {
  /// The highest rate there is: 1,000,000 points a minute.
  public static let highest = PointsRate(unchecked: Limits.milliPointsPerMinute.upperBound * 60)

  /// Milli-points per hour of use, 0 to 60,000,000,000.
  public let milliPointsPerHour: Int64

  private init(unchecked milliPointsPerHour: Int64) {
    self.milliPointsPerHour = milliPointsPerHour
  }

  /// Take a rate per minute; one that is negative or above the highest is brought to the nearer end.
  ///
  /// - Parameter milliPointsPerMinute: Milli-points per minute, as settings and records hold it.
  public init(milliPointsPerMinute: Int64) {
    let highest = Self.highest.milliPointsPerHour / 60
    self.init(unchecked: min(max(milliPointsPerMinute, 0), highest) * 60)
  }

  /// Take a rate per hour; one that is negative or above the highest is brought to the nearer end.
  ///
  /// - Parameter milliPointsPerHour: Milli-points per hour: 20,000 is 20 points an hour.
  public init(milliPointsPerHour: Int64) {
    self.init(unchecked: min(max(milliPointsPerHour, 0), Self.highest.milliPointsPerHour))
  }

  /// Tell whether `left` gives less for the same time.
  public static func < (left: PointsRate, right: PointsRate) -> Bool {
    left.milliPointsPerHour < right.milliPointsPerHour
  }
}
