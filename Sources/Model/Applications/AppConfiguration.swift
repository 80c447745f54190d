/// A parent's configuration of one application on one child's machine.
///
/// It is a desired state: the newer of two edits wins.
public struct AppConfiguration: Hashable, Sendable, Codable {
  /// The application's ID.
  public var appID: AppID
  /// The name for people, 1 to 255 bytes of UTF-8.
  public var displayName: String
  /// The effect of use on points.
  public var category: AppCategory
  /// The rate in milli-points per minute of use, 0 to 1,000,000,000: earned if the category is `learning`, paid if it
  /// is `reward`.
  public var milliPointsPerMinute: Int64
  /// A Boolean value that indicates whether the rule applies.
  public var isEnabled: Bool
  /// A Boolean value that indicates whether the application is blocked.
  public var isBlocked: Bool
  /// The daily limit in minutes, 0 to 1,440; `nil` for none.
  public var dailyLimitMinutes: Int?
  /// The time of the edit, which orders it among others.
  public var modified: HybridTimestamp
  /// The rules that recognize the application: at most 64, with at most 16,384 bytes of values together.
  public var matchers: [AppMatcher]

  /// Creates a configuration.
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

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  ///
  /// Both the sender and the receiver check it.
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
    // The whole configuration has to fit the body of an item.
    if matchers.reduce(0, { $0 + $1.value.utf8.count }) > 16_384 {
      return "The values of an application's matchers must have at most 16,384 bytes of UTF-8 together."
    }
    if !HybridTimestamp.walls.contains(modified.wall) {
      return "The time of the change is outside the calendar: set that machine's clock."
    }
    return nil
  }
}
