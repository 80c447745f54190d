import LatchkeyModel

// What follows from the rules of a child.
extension RuleSet {
  public var boundary: DayBoundary {
    // Both parts were checked when they were read; a zone that this machine does not know counts as
    // UTC.
    for zone in [zone, "UTC"] {
      if let boundary = try? DayBoundary(zone: zone, dayStartHour: Int(min(max(dayStartHour, 0), 23))) {
        return boundary
      }
    }
    preconditionFailure("every machine knows UTC")
  }

  /// Returns the rules of an application that apply, with its default category if no parent has set
  /// one.
  public func app(_ id: AppID) -> App {
    if id == .unknownPrograms { return unknown }
    if id == .otherPrograms { return Self.neutral("Other programs") }
    if id == .screenTime { return Self.neutral("Screen time") }
    var app = apps[id] ?? App()
    guard app.isEnabled else { return App() }
    if app.category == nil { app.category = defaults[id] }
    return app
  }

  /// Returns whether a parent has given an application a category or always allows it.
  func isListed(_ subject: Subject) -> Bool {
    guard case .app(let id) = subject, !id.isOfMany, let app = apps[id], app.isEnabled else { return false }
    return app.category != nil || app.isAlwaysAllowed
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

  /// Returns the category that holds for an application by default, because no parent has set one;
  /// `nil` for none.
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

  /// Returns the milliseconds that were granted on a day, whatever they are for.
  func grantedForAnything(on day: FamilyDay) -> Int64 {
    grants[day]?.values.reduce(0) { $0 + Int64($1.minutes) * 60_000 } ?? 0
  }

  /// Returns the milliseconds that were granted for a program on a day.
  func granted(_ subject: Subject, _ category: AppCategory, on day: FamilyDay) -> Int64 {
    guard let grants = grants[day] else { return 0 }
    return grants.values.reduce(0) { sum, grant in
      let covers =
        switch grant.scope {
        case .all: true
        case .category(let granted): granted == category
        case .app(let granted): subject.app == granted
        }
      return covers ? sum + Int64(grant.minutes) * 60_000 : sum
    }
  }
}
