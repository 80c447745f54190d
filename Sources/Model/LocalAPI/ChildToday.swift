/// A child's day so far, as the local API shows it: what was used, what runs, and what is left.
public struct ChildToday: Hashable, Sendable, Codable {
  /// The child's ID.
  public var childID: ChildID
  /// The child's name.
  public var name: DeviceName
  /// The family's day, such as `2026-11-21`.
  public var day: String
  /// The IANA name of the family's zone.
  public var zone: String
  /// The time for which this was worked out, Unix milliseconds.
  public var at: Int64
  /// The time for which anything was in use today, on all machines as far as known here, in milliseconds.
  public var usedMilliseconds: Int64
  /// The same since Monday.
  public var weekMilliseconds: Int64
  /// The screen time of the day with what was granted for it, in milliseconds; `nil` without a limit.
  public var limitMilliseconds: Int64?
  /// The use of each category today, in milliseconds; categories without use are left out.
  public var categories: [CategoryToday]
  /// The applications that were used today, that run, or that have rules.
  public var apps: [AppToday]
  /// What runs now.
  public var running: [RunningNow]
  /// What holds for all screen time, whatever the application.
  public var screen: VerdictToday
  /// What a person should know now, one sentence each, such as that little time is left.
  public var notices: [String]
  /// How far the child's machines hold to rules.
  public var enforcement: Enforcement
  /// The milli-points that are left to spend; `nil` if the family uses no points.
  public var milliPoints: Int64?
  /// The redeemed time that is left, in milliseconds; `nil` if rewards are not paid with it.
  public var redeemedMilliseconds: Int64?

  /// Creates a child's day.
  public init(
    childID: ChildID, name: DeviceName, day: String, zone: String, at: Int64, usedMilliseconds: Int64,
    weekMilliseconds: Int64, limitMilliseconds: Int64? = nil, categories: [CategoryToday], apps: [AppToday],
    running: [RunningNow], screen: VerdictToday, notices: [String], enforcement: Enforcement,
    milliPoints: Int64? = nil, redeemedMilliseconds: Int64? = nil
  ) {
    self.milliPoints = milliPoints
    self.redeemedMilliseconds = redeemedMilliseconds
    self.childID = childID
    self.name = name
    self.day = day
    self.zone = zone
    self.at = at
    self.usedMilliseconds = usedMilliseconds
    self.weekMilliseconds = weekMilliseconds
    self.limitMilliseconds = limitMilliseconds
    self.categories = categories
    self.apps = apps
    self.running = running
    self.screen = screen
    self.notices = notices
    self.enforcement = enforcement
  }
}

/// The use of one category on a day.
public struct CategoryToday: Hashable, Sendable, Codable {
  /// The category.
  public var category: AppCategory
  /// The time for which anything of it was in use, in milliseconds.
  public var usedMilliseconds: Int64

  /// Creates the use of a category.
  public init(category: AppCategory, usedMilliseconds: Int64) {
    self.category = category
    self.usedMilliseconds = usedMilliseconds
  }
}

/// What the rules say of something now.
public struct VerdictToday: Hashable, Sendable, Codable {
  /// A Boolean value that indicates whether the rules allow it.
  public var isAllowed: Bool
  /// The word for the rule that closes it, now or at `until`; `nil` if none does before the end of the next day.
  public var rule: String?
  /// The same in words, such as "2 h a day are used"; `nil` without a rule.
  public var reason: String?
  /// If allowed, when it closes; if not, when it may open again; Unix milliseconds; `nil` if that is not in sight.
  public var until: Int64?
  /// The time until then, in milliseconds.
  public var leftMilliseconds: Int64?

  /// Creates a verdict.
  public init(
    isAllowed: Bool, rule: String? = nil, reason: String? = nil, until: Int64? = nil, leftMilliseconds: Int64? = nil
  ) {
    self.isAllowed = isAllowed
    self.rule = rule
    self.reason = reason
    self.until = until
    self.leftMilliseconds = leftMilliseconds
  }
}

/// One application on a child's day.
public struct AppToday: Hashable, Sendable, Codable {
  /// The application's ID.
  public var appID: AppID
  /// The application's name.
  public var displayName: String
  /// The category by the present rules.
  public var category: AppCategory
  /// The time for which it was in use today, in milliseconds.
  public var usedMilliseconds: Int64
  /// What the rules say of it now.
  public var verdict: VerdictToday
  /// A Boolean value that indicates whether the rules do not allow it, and no machine of the child's closes it.
  public var isLeftOpen: Bool

  /// Creates an application's day.
  public init(
    appID: AppID, displayName: String, category: AppCategory, usedMilliseconds: Int64, verdict: VerdictToday,
    isLeftOpen: Bool = false
  ) {
    self.isLeftOpen = isLeftOpen
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.usedMilliseconds = usedMilliseconds
    self.verdict = verdict
  }
}

/// A session that runs on a child's machine, as the local API shows it.
public struct RunningNow: Hashable, Sendable, Codable {
  /// The ID that the session's record will have.
  public var recordID: RecordID
  /// The name of the child who uses it; `nil` for none.
  public var childName: DeviceName?
  /// The machine's ID.
  public var deviceID: DeviceID
  /// The machine's name.
  public var deviceName: DeviceName
  /// The application's ID.
  public var appID: AppID
  /// The application's name.
  public var displayName: String
  /// The category.
  public var category: AppCategory
  /// The start, Unix milliseconds.
  public var since: Int64
  /// The time of use so far, as far as known, in milliseconds.
  public var activeMilliseconds: Int64
  /// A Boolean value that indicates whether the machine has not told of it for so long that it may have ended.
  public var isStale: Bool

  /// Creates a running session.
  public init(
    recordID: RecordID, childName: DeviceName?, deviceID: DeviceID, deviceName: DeviceName, appID: AppID,
    displayName: String, category: AppCategory, since: Int64, activeMilliseconds: Int64, isStale: Bool
  ) {
    self.recordID = recordID
    self.childName = childName
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.since = since
    self.activeMilliseconds = activeMilliseconds
    self.isStale = isStale
  }
}

/// Why an application may run or may not: every rule that was considered.
public struct ChildExplanation: Hashable, Sendable, Codable {
  /// A rule and what it says.
  public struct Rule: Hashable, Sendable, Codable {
    /// The word for the rule.
    public var rule: String
    /// The rule in words.
    public var words: String
    /// A Boolean value that indicates whether the rule allows the application.
    public var isOpen: Bool
    /// How long this holds, in milliseconds; `nil` for longer than to the end of the next day.
    public var leftMilliseconds: Int64?

    /// Creates a rule's standing.
    public init(rule: String, words: String, isOpen: Bool, leftMilliseconds: Int64?) {
      self.rule = rule
      self.words = words
      self.isOpen = isOpen
      self.leftMilliseconds = leftMilliseconds
    }
  }

  /// The child's name.
  public var name: DeviceName
  /// The application.
  public var app: AppToday
  /// The time for which this was worked out, Unix milliseconds.
  public var at: Int64
  /// The IANA name of the family's zone.
  public var zone: String
  /// The rules that were considered, in their order.
  public var rules: [Rule]
  /// How far the child's machines hold to rules.
  public var enforcement: Enforcement
  /// Why it runs on although the rules do not allow it, one sentence for each machine on which it does.
  public var leftOpen: [String]
  /// A Boolean value that indicates whether it would be closed on no machine of the child's.
  public var isLeftOpen: Bool

  /// Creates an explanation.
  public init(
    name: DeviceName, app: AppToday, at: Int64, zone: String, rules: [Rule], enforcement: Enforcement,
    leftOpen: [String] = [], isLeftOpen: Bool = false
  ) {
    self.leftOpen = leftOpen
    self.isLeftOpen = isLeftOpen
    self.name = name
    self.app = app
    self.at = at
    self.zone = zone
    self.rules = rules
    self.enforcement = enforcement
  }
}
