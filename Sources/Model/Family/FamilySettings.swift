/// The settings of the whole family, as its registers say.
///
/// Spec: Protocol/11-rules.md §1, §2.
public struct FamilySettings: Hashable, Sendable, Codable {
  /// The rate in milli-points per minute of learning applications without one of their own.
  public var learningMilliPointsPerMinute: Int64
  /// The rate in milli-points per minute of reward applications without one of their own.
  public var rewardMilliPointsPerMinute: Int64
  /// Whether the family uses points: `points`, or `limits` for limits and times alone.
  public var mode: String
  /// How rewards are paid: `payAsYouGo` or `redeemFirst`.
  public var rewards: String
  /// The number of minutes that one point buys.
  public var minutesPerPoint: Int64
  /// The number of days for which redeemed minutes can be used, the first included.
  public var redemptionDays: Int64
  /// The shortest session that earns points, in minutes.
  public var minimumSessionMinutes: Int64
  /// The most that learning earns a day, in milli-points; `nil` for no limit.
  public var dailyPointsLimit: Int64?
  /// The most that learning earns a week, in milli-points; `nil` for no limit.
  public var weeklyPointsLimit: Int64?
  /// The treatment of programs that are no known application: `count`, `reward` or `block`.
  public var unknownPrograms: String
  /// What is done about sessions when time is over: `leave`, `lock`, `lockUnlessAllowed` or `close`.
  public var sessions: String
  /// What is measured as screen time: `sessions` or `programs`.
  public var screenTime: String
  /// The minutes after the last input for which a child is taken to be there.
  public var graceMinutes: Int64
  /// Whether learning counts as screen time: `counts` or `free`.
  public var learning: String
  /// The limit on reward use a day, by weekday, as its rule is written; `nil` for none.
  public var dailyRewardLimit: String?
  /// The limit on reward use a week in minutes; `nil` for none.
  public var weeklyRewardLimitMinutes: Int64?
  /// The hour at which a family's day begins, 0 to 23.
  public var dayStartHour: Int64
  /// The IANA name of the zone, such as `Europe/Berlin`.
  public var zone: String

  /// Creates settings.
  public init(
    learningMilliPointsPerMinute: Int64 = 1_000, rewardMilliPointsPerMinute: Int64 = 1_000, mode: String = "points",
    rewards: String = "payAsYouGo", minutesPerPoint: Int64 = 1, redemptionDays: Int64 = 7,
    minimumSessionMinutes: Int64 = 0, dailyPointsLimit: Int64? = nil, weeklyPointsLimit: Int64? = nil,
    unknownPrograms: String = "count", sessions: String = "leave", screenTime: String = "sessions",
    graceMinutes: Int64 = 60, learning: String = "counts",
    dailyRewardLimit: String? = nil, weeklyRewardLimitMinutes: Int64? = nil, dayStartHour: Int64 = 0,
    zone: String = "UTC"
  ) {
    self.learningMilliPointsPerMinute = learningMilliPointsPerMinute
    self.rewardMilliPointsPerMinute = rewardMilliPointsPerMinute
    self.mode = mode
    self.rewards = rewards
    self.minutesPerPoint = minutesPerPoint
    self.redemptionDays = redemptionDays
    self.minimumSessionMinutes = minimumSessionMinutes
    self.dailyPointsLimit = dailyPointsLimit
    self.weeklyPointsLimit = weeklyPointsLimit
    self.unknownPrograms = unknownPrograms
    self.sessions = sessions
    self.screenTime = screenTime
    self.graceMinutes = graceMinutes
    self.learning = learning
    self.dailyRewardLimit = dailyRewardLimit
    self.weeklyRewardLimitMinutes = weeklyRewardLimitMinutes
    self.dayStartHour = dayStartHour
    self.zone = zone
  }
}
