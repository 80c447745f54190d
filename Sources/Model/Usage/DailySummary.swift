/// The usage of one child's machine on one family day.
///
/// It is derived from records and never edited.
public struct DailySummary: Hashable, Sendable, Codable {
  /// The usage of one application.
  public struct AppRow: Hashable, Sendable, Codable {
    /// The application's ID.
    public var appID: AppID
    /// The application's name for people.
    public var displayName: String
    /// The effect of use on points.
    public var category: AppCategory
    /// The time of use in milliseconds.
    public var activeMilliseconds: Int64
    /// The points earned if the category is `learning`, or the cost if it is `reward`.
    public var milliPoints: Int64
    /// A Boolean value that indicates whether the application has more use than the day is long.
    public var isImpossible: Bool

    /// Creates a row.
    public init(
      appID: AppID, displayName: String, category: AppCategory, activeMilliseconds: Int64, milliPoints: Int64,
      isImpossible: Bool = false
    ) {
      self.appID = appID
      self.displayName = displayName
      self.category = category
      self.activeMilliseconds = activeMilliseconds
      self.milliPoints = milliPoints
      self.isImpossible = isImpossible
    }
  }

  /// The child's machine.
  public var device: DeviceID
  /// The day, such as `2026-11-21`.
  public var day: String
  /// The IANA name of the day's zone.
  public var zone: String
  /// The length of the day, which is 23 or 25 hours when clocks change.
  public var dayMilliseconds: Int64
  /// The time of use of learning applications in milliseconds.
  public var learningMilliseconds: Int64
  /// The time of use of reward applications in milliseconds.
  public var rewardMilliseconds: Int64
  /// The points earned in milli-points.
  public var earnedMilliPoints: Int64
  /// The usage of each application, most used first.
  public var apps: [AppRow]
  /// A Boolean value that indicates whether an application, a category or all of them together have more use than the
  /// day is long.
  public var isImpossible: Bool
  /// The number of sessions on the day whose records cannot be true.
  public var doubtfulSessions: Int64

  /// Creates a summary.
  public init(
    device: DeviceID, day: String, zone: String, dayMilliseconds: Int64 = 86_400_000, learningMilliseconds: Int64,
    rewardMilliseconds: Int64, earnedMilliPoints: Int64, apps: [AppRow], isImpossible: Bool = false,
    doubtfulSessions: Int64 = 0
  ) {
    self.device = device
    self.day = day
    self.zone = zone
    self.dayMilliseconds = dayMilliseconds
    self.learningMilliseconds = learningMilliseconds
    self.rewardMilliseconds = rewardMilliseconds
    self.earnedMilliPoints = earnedMilliPoints
    self.apps = apps
    self.isImpossible = isImpossible
    self.doubtfulSessions = doubtfulSessions
  }

  /// Returns whether a time of use exceeds the length of the day by more than a clock may lose in a day while it is
  /// slowed.
  public func isTooLong(_ milliseconds: Int64) -> Bool {
    milliseconds > dayMilliseconds + UsageDoubt.slackMilliseconds
  }
}
