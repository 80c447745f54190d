/// The rules of the whole family.
///
/// Parents set them and children read them; the later edit wins.
public struct FamilySettings: Hashable, Sendable, Codable {
  /// The rate in milli-points per minute for applications without one of their own.
  public var defaultMilliPointsPerMinute: Int64
  /// The number of minutes that one point buys.
  public var minutesPerPoint: Int
  /// The shortest session that earns points, in minutes.
  public var minimumSessionMinutes: Int
  /// The limit on reward use per day in minutes; `nil` for none.
  public var dailyRewardLimitMinutes: Int?
  /// The limit on reward use per week in minutes; `nil` for none.
  public var weeklyRewardLimitMinutes: Int?
  /// The hour at which a family's day begins, 0 to 23.
  public var dayStartHour: Int
  /// The IANA name of the zone, such as `Europe/Berlin`.
  public var zone: String
  /// The time of the edit by the hybrid clock of the parent that made it; `.never` for the default rules.
  public var modified: HybridTimestamp

  /// Creates settings.
  public init(
    defaultMilliPointsPerMinute: Int64 = 1_000, minutesPerPoint: Int = 1, minimumSessionMinutes: Int = 0,
    dailyRewardLimitMinutes: Int? = nil, weeklyRewardLimitMinutes: Int? = nil, dayStartHour: Int = 0,
    zone: String = "UTC", modified: HybridTimestamp = .never
  ) {
    self.defaultMilliPointsPerMinute = defaultMilliPointsPerMinute
    self.minutesPerPoint = minutesPerPoint
    self.minimumSessionMinutes = minimumSessionMinutes
    self.dailyRewardLimitMinutes = dailyRewardLimitMinutes
    self.weeklyRewardLimitMinutes = weeklyRewardLimitMinutes
    self.dayStartHour = dayStartHour
    self.zone = zone
    self.modified = modified
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    if !Limits.milliPointsPerMinute.contains(defaultMilliPointsPerMinute) {
      return "The default rate must be between 0 and 1,000,000 points per minute."
    }
    if !(1...1_440).contains(minutesPerPoint) { return "Minutes per point must be between 1 and 1,440." }
    if !(0...1_440).contains(minimumSessionMinutes) { return "The minimum session must be 0 to 1,440 minutes." }
    if let limit = dailyRewardLimitMinutes, !(0...1_440).contains(limit) {
      return "The daily reward limit must be 0 to 1,440 minutes."
    }
    if let limit = weeklyRewardLimitMinutes, !(0...10_080).contains(limit) {
      return "The weekly reward limit must be 0 to 10,080 minutes."
    }
    if !(0...23).contains(dayStartHour) { return "The day must start at an hour between 0 and 23." }
    if let fault = TextRule.zone.fault(in: zone) { return fault }
    if !HybridTimestamp.walls.contains(modified.wall) {
      return "The time of the change is outside the calendar: set that machine's clock."
    }
    return nil
  }
}

extension FamilySettings {
  /// Decodes rules; those that a person asks for need no time, which the parent's node sets.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      defaultMilliPointsPerMinute: try fields.decode(Int64.self, forKey: .defaultMilliPointsPerMinute),
      minutesPerPoint: try fields.decode(Int.self, forKey: .minutesPerPoint),
      minimumSessionMinutes: try fields.decode(Int.self, forKey: .minimumSessionMinutes),
      dailyRewardLimitMinutes: try fields.decodeIfPresent(Int.self, forKey: .dailyRewardLimitMinutes),
      weeklyRewardLimitMinutes: try fields.decodeIfPresent(Int.self, forKey: .weeklyRewardLimitMinutes),
      dayStartHour: try fields.decode(Int.self, forKey: .dayStartHour),
      zone: try fields.decode(String.self, forKey: .zone),
      modified: try fields.decodeIfPresent(HybridTimestamp.self, forKey: .modified) ?? .never)
  }
}
