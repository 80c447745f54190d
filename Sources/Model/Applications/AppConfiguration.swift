/// What a parent wants of one application on one child's machine. Desired state: of two, the newer holds.
public struct AppConfiguration: Hashable, Sendable, Codable {
  public var appID: AppID
  /// UTF-8, 1 to 255 bytes.
  public var displayName: String
  public var category: AppCategory
  /// Milli-points per minute of use: earned when `learning`, paid when `reward`; 0 to 1,000,000,000.
  public var milliPointsPerMinute: Int64
  public var isEnabled: Bool
  public var isBlocked: Bool
  /// 0 to 1,440.
  public var dailyLimitMinutes: Int?
  public var modified: HybridTimestamp
  /// At most 64, with at most 16,384 bytes of values together.
  public var matchers: [AppMatcher]

  public init(
    appID: AppID, displayName: String, category: AppCategory, milliPointsPerMinute: Int64, isEnabled: Bool = true,
    isBlocked: Bool = false, dailyLimitMinutes: Int? = nil, modified: HybridTimestamp, matchers: [AppMatcher] = []
  ) {
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.milliPointsPerMinute = milliPointsPerMinute
    self.isEnabled = isEnabled
    self.isBlocked = isBlocked
    self.dailyLimitMinutes = dailyLimitMinutes
    self.modified = modified
    self.matchers = matchers
  }

  /// Say what is wrong with the values, in one sentence; nil when nothing is. Both the giver and the receiver ask.
  public var fault: String? {
    if let fault = TextRule.displayName.fault(in: displayName) { return fault }
    if !Limits.milliPointsPerMinute.contains(milliPointsPerMinute) {
      return "Points per minute must be between 0 and 1,000,000."
    }
    if let limit = dailyLimitMinutes, !(0...1_440).contains(limit) {
      return "The daily limit must be between 0 and 1,440 minutes."
    }
    if matchers.count > 64 { return "An application takes at most 64 matchers." }
    for matcher in matchers {
      if let fault = TextRule.matcherValue.fault(in: matcher.value) { return fault }
    }
    // All of it has to fit an item's body.
    if matchers.reduce(0, { $0 + $1.value.utf8.count }) > 16_384 {
      return "The values of an application's matchers must have at most 16,384 bytes of UTF-8 together."
    }
    if !HybridTimestamp.walls.contains(modified.wall) {
      return "The time of the change is outside the calendar: set that machine's clock."
    }
    return nil
  }
}
