/// The applications of a child that have rules, or are installed and have a category by default, as `GET /v1/apps` lists them.
public struct ChildApps: Hashable, Sendable, Codable {
  /// The child; `nil` for the whole family while it has no child.
  public var child: ChildListing?
  /// The applications, in the order of their IDs.
  public var apps: [AppListing]

  /// Creates a listing.
  public init(child: ChildListing?, apps: [AppListing]) {
    self.child = child
    self.apps = apps
  }
}

/// What is in force for one application of a child: for each rule the child's, otherwise the family's.
public struct AppListing: Hashable, Sendable, Codable {
  /// The application's ID.
  public var appID: AppID
  /// The name for people; the ID if none was given.
  public var displayName: String
  /// The category; `nil` if none is set.
  public var category: AppCategory?
  /// A Boolean value that indicates whether the category is a default, which no parent has set.
  public var isByDefault: Bool
  /// The rate in milli-points per minute of its own; `nil` for that of its category.
  public var ownMilliPointsPerMinute: Int64?
  /// The rate in milli-points per minute that holds.
  public var milliPointsPerMinute: Int64
  /// A Boolean value that indicates whether its rules hold.
  public var isEnabled: Bool
  /// A Boolean value that indicates whether it is blocked.
  public var isBlocked: Bool
  /// A Boolean value that indicates whether it is always allowed.
  public var isAlwaysAllowed: Bool
  /// The limit a day, as its rule is written; `nil` for none.
  public var limit: String?
  /// The rules that recognize its processes.
  public var matchers: [AppMatcher]
  /// The rules that are set for it, in the order of their keys.
  public var rules: [RuleListing]

  /// Creates a listing.
  public init(
    appID: AppID, displayName: String, category: AppCategory? = nil, isByDefault: Bool = false,
    ownMilliPointsPerMinute: Int64? = nil, milliPointsPerMinute: Int64 = 0, isEnabled: Bool = true,
    isBlocked: Bool = false, isAlwaysAllowed: Bool = false,
    limit: String? = nil, matchers: [AppMatcher] = [], rules: [RuleListing] = []
  ) {
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.isByDefault = isByDefault
    self.ownMilliPointsPerMinute = ownMilliPointsPerMinute
    self.milliPointsPerMinute = milliPointsPerMinute
    self.isEnabled = isEnabled
    self.isBlocked = isBlocked
    self.isAlwaysAllowed = isAlwaysAllowed
    self.limit = limit
    self.matchers = matchers
    self.rules = rules
  }
}
