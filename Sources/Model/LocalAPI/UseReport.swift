/// A child's use by day, week or month, as the local API shows it.
public struct UseReport: Hashable, Sendable, Codable {
  /// The use of one application in one period.
  public struct Row: Hashable, Sendable, Codable {
    /// The application's ID.
    public var appID: AppID
    /// The application's name.
    public var displayName: String
    /// The category at the time of use.
    public var category: AppCategory
    /// The time of use in milliseconds, each instant once.
    public var milliseconds: Int64
    /// What learning earned, in milli-points.
    public var earnedMilliPoints: Int64
    /// The sessions that began in the period.
    public var sessions: Int64

    /// Creates a row.
    public init(
      appID: AppID, displayName: String, category: AppCategory, milliseconds: Int64, earnedMilliPoints: Int64,
      sessions: Int64
    ) {
      self.appID = appID
      self.displayName = displayName
      self.category = category
      self.milliseconds = milliseconds
      self.earnedMilliPoints = earnedMilliPoints
      self.sessions = sessions
    }
  }

  /// The use in one period.
  public struct Period: Hashable, Sendable, Codable {
    /// The first day, such as `2026-11-16`.
    public var start: String
    /// The child's time of use in milliseconds, each instant once.
    public var milliseconds: Int64
    /// The time of use of each category that has any, each instant once.
    public var categories: [CategoryToday]
    /// The applications, the longest use first.
    public var rows: [Row]

    /// Creates a period.
    public init(start: String, milliseconds: Int64, categories: [CategoryToday], rows: [Row]) {
      self.start = start
      self.milliseconds = milliseconds
      self.categories = categories
      self.rows = rows
    }
  }

  /// The child's ID.
  public var childID: ChildID
  /// The child's name.
  public var name: DeviceName
  /// The length of a period: `day`, `week` or `month`.
  public var period: String
  /// The first day of the report, such as `2026-11-01`.
  public var from: String
  /// The last day of the report.
  public var to: String
  /// The periods with use, newest first.
  public var periods: [Period]

  /// Creates a report.
  public init(childID: ChildID, name: DeviceName, period: String, from: String, to: String, periods: [Period]) {
    self.childID = childID
    self.name = name
    self.period = period
    self.from = from
    self.to = to
    self.periods = periods
  }
}

/// What a report is asked for.
public struct UseReportQuery: Hashable, Sendable {
  /// The child, by name or a beginning of it.
  public var child: String
  /// The length of a period: `day`, `week` or `month`.
  public var period: String
  /// The first day, such as `2026-11-01`; `nil` for a usual one.
  public var from: String?
  /// The last day; `nil` for today.
  public var to: String?

  /// Creates a query.
  public init(child: String, period: String, from: String? = nil, to: String? = nil) {
    self.child = child
    self.period = period
    self.from = from
    self.to = to
  }
}
