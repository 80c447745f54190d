import LatchkeyCalendar
import LatchkeyModel

/// The rules of one child, as the registers that a machine holds say.
///
/// Spec: Protocol/11-rules.md §2.
public struct RuleSet: Hashable, Sendable {
  /// The rules of one application.
  public struct App: Hashable, Sendable {
    /// The name for people.
    public var name: String?
    /// The category; `nil` if no parent set one.
    public var category: AppCategory?
    /// The rate in milli-points per minute; `nil` if no parent set one of its own.
    public var milliPointsPerMinute: Int64?
    /// A Boolean value that indicates whether the other rules of the application apply.
    public var isEnabled = true
    /// A Boolean value that indicates whether it is blocked.
    public var isBlocked = false
    /// A Boolean value that indicates whether it is always allowed.
    public var isAlwaysAllowed = false
    /// The limit a day.
    public var limit: DayLimits?
    /// The rules that recognize its processes.
    public var matchers: [AppMatcher] = []
    /// What is done when its time is over.
    public var step = ClosingStep.close
    /// Whether what it starts counts as it.
    public var launches = Launches.counted

    /// Creates rules that permit everything.
    public init() {}

    /// The category with the rate; `nil` without a category.
    public var use: AppUse? {
      category.map { AppUse(category: $0, milliPointsPerMinute: milliPointsPerMinute) }
    }
  }

  /// The rules of one category.
  public struct Category: Hashable, Sendable {
    /// The limit a day.
    public var limit: DayLimits?
    /// The limit a week in minutes.
    public var weekly: Int64?
    /// The rate in milli-points per minute of applications without one of their own.
    public var rate: Int64?

    /// Creates rules that permit everything.
    public init() {}
  }

  /// The exceptions for one day.
  public struct Today: Hashable, Sendable {
    /// The bedtimes that begin on that day.
    public var bedtime: DayWindows?
    /// The school times that begin on that day.
    public var school: DayWindows?
    /// The reward times that begin on that day.
    public var rewardTimes: DayWindows?
    /// The time granted for that day, by the command that granted it.
    public var grants: [CommandID: Grant] = [:]

    /// Creates exceptions that change nothing.
    public init() {}
  }

  /// The rules about points.
  public struct Points: Hashable, Sendable {
    /// The way of paying.
    public var use = PointsUse.payAsYouGo
    /// The minutes that a redeemed point buys.
    public var minutesPerPoint: Int64 = 1
    /// The most that learning earns a day, in milli-points.
    public var dailyCap: Int64?
    /// The most that learning earns a week, in milli-points.
    public var weeklyCap: Int64?
    /// The shortest session that earns, in minutes.
    public var minimumSession: Int64 = 0
    /// The days for which redeemed minutes can be used, the day of redemption included.
    public var redemptionDays: Int64 = 7

    /// Creates the rules of a family that has set none.
    public init() {}
  }

  /// What counts as screen time.
  public struct ScreenTime: Hashable, Sendable {
    /// What is measured.
    public var source = ScreenTimeSource.sessions
    /// The minutes after the last input for which somebody is taken to be there.
    public var graceMinutes: Int64 = 60
    /// Whether learning counts.
    public var learning = LearningTime.counts

    /// Creates the rules of a family that has set none.
    public init() {}
  }

  /// The rate of an application if no parent set any: one point a minute, in milli-points.
  public static let usualRate: Int64 = 1_000

  /// The child's name.
  public var name: String?
  /// A Boolean value that indicates whether the child was removed from the household.
  public var isRemoved = false
  /// The rules of applications.
  public var apps: [AppID: App] = [:]
  /// The categories of applications for which no parent has set one.
  public var defaults: [AppID: AppCategory] = DefaultCategory.all
  /// The rules of categories.
  public var categories: [AppCategory: Category] = [:]
  /// The limit on all screen time a day.
  public var dailyLimit: DayLimits?
  /// The limit on all screen time a week in minutes.
  public var weeklyLimit: Int64?
  /// When nothing is allowed but what is always allowed.
  public var bedtime: WeekWindows?
  /// When only learning, and what is always allowed, is allowed.
  public var school: WeekWindows?
  /// When rewards are allowed; `nil` for always.
  public var rewardTimes: WeekWindows?
  /// The exceptions for days.
  public var today: [FamilyDay: Today] = [:]
  /// The lock.
  public var lock = Lock.off
  /// Whether the family uses points.
  public var mode = HouseholdMode.points
  /// The treatment of unknown programs.
  public var unknownPrograms = UnknownPrograms.count
  /// What is done about sessions when nothing may be used but what is always allowed.
  public var sessions = ClosedSessions.leave
  /// What counts as screen time.
  public var screenTime = ScreenTime()
  /// The rules about points.
  public var points = Points()
  /// The IANA name of the family's zone.
  public var zone = "UTC"
  /// The hour at which the family's day begins, 0 to 23.
  public var dayStartHour: Int64 = 0

  /// Creates the rules of a child for whom no parent has set any.
  public init() {}

  /// The family's days.
  public var boundary: DayBoundary {
    // Both parts were checked when they were read; a zone that this machine does not know counts as UTC.
    for zone in [zone, "UTC"] {
      if let boundary = try? DayBoundary(zone: zone, dayStartHour: Int(min(max(dayStartHour, 0), 23))) {
        return boundary
      }
    }
    preconditionFailure("every machine knows UTC")
  }

  /// Returns the rules of an application that apply, with its default category if no parent has set one.
  public func app(_ id: AppID) -> App {
    if id == .unknownPrograms { return unknown }
    if id == .otherPrograms { return Self.neutral("Other programs") }
    if id == .screenTime { return Self.neutral("Screen time") }
    var app = apps[id] ?? App()
    guard app.isEnabled else { return App() }
    if app.category == nil { app.category = defaults[id] }
    return app
  }

  /// The rules of unknown programs, which are one application for people.
  private var unknown: App {
    var app = App()
    app.name = "Unknown programs"
    app.category = unknownPrograms == .reward ? .reward : .neutral
    app.isBlocked = unknownPrograms == .block
    return app
  }

  /// Returns the rules of what has none of its own.
  private static func neutral(_ name: String) -> App {
    var app = App()
    (app.name, app.category) = (name, .neutral)
    return app
  }

  /// Returns the category that holds for an application by default, because no parent has set one; `nil` for none.
  public func categoryByDefault(_ id: AppID) -> AppCategory? {
    let app = apps[id] ?? App()
    return app.category == nil && app.isEnabled ? defaults[id] : nil
  }

  /// Returns the rate of an application in milli-points per minute.
  public func perMinute(_ use: AppUse) -> Int64 {
    use.milliPointsPerMinute ?? categories[use.category]?.rate ?? Self.usualRate
  }

  /// Returns the rate of an application in milli-points per hour.
  public func rate(of use: AppUse) -> PointsRate { PointsRate(milliPointsPerMinute: perMinute(use)) }
}
