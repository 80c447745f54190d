/// One child's machine on one family day; derived from records, never edited.
public struct DailySummary: Hashable, Sendable, Codable {
  /// One application's part.
  public struct AppRow: Hashable, Sendable, Codable {
    public var appID: AppID
    public var displayName: String
    public var category: AppCategory
    public var activeMilliseconds: Int64
    /// Earned when `learning`, the cost when `reward`.
    public var milliPoints: Int64

    public init(
      appID: AppID, displayName: String, category: AppCategory, activeMilliseconds: Int64, milliPoints: Int64
    ) {
      self.appID = appID
      self.displayName = displayName
      self.category = category
      self.activeMilliseconds = activeMilliseconds
      self.milliPoints = milliPoints
    }
  }

  public var device: DeviceID
  /// Such as `2026-11-21`.
  public var day: String
  /// IANA name of the zone the day is in.
  public var zone: String
  public var learningMilliseconds: Int64
  public var rewardMilliseconds: Int64
  public var earnedMilliPoints: Int64
  public var apps: [AppRow]

  public init(
    device: DeviceID, day: String, zone: String, learningMilliseconds: Int64, rewardMilliseconds: Int64,
    earnedMilliPoints: Int64, apps: [AppRow]
  ) {
    self.device = device
    self.day = day
    self.zone = zone
    self.learningMilliseconds = learningMilliseconds
    self.rewardMilliseconds = rewardMilliseconds
    self.earnedMilliPoints = earnedMilliPoints
    self.apps = apps
  }
}
