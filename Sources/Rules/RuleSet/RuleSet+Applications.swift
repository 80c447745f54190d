import LatchkeyModel

// Values that follow from the rules of a child.
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

  /// Returns the rules of an application that apply, with its default category.
  public func app(_ id: AppID) -> App {
    if id == .unknownPrograms { return unknown }
    if id == .otherPrograms { return Self.neutral("Other programs") }
    if id == .screenTime { return Self.neutral("Screen time") }
    var app = apps[id] ?? App()
    guard app.isEnabled else { return App() }
    app = withGroups(app, id)
    if app.category == nil { app.category = defaults[id] }
    return app
  }

  /// Returns whether it is listed: a parent gave it or its group a category, or always allows it.
  func isListed(_ subject: Subject) -> Bool {
    guard case .app(let id) = subject, !id.isOfMany, let own = apps[id], own.isEnabled else { return false }
    let groups = groups(of: id).map(\.group)
    return own.category != nil || groups.contains { $0.category != nil } || withGroups(own, id).isAlwaysAllowed
  }

  /// Returns whether an ID is closed because it is not listed, and not because of a block.
  public func isClosedAsUnlisted(_ id: AppID) -> Bool {
    programs == .listed && !isRemoved && !isListed(Subject(id)) && !app(id).isBlocked
  }

  /// Returns whether a program that was refused is still not listed.
  ///
  /// This does not depend on whether all programs may run now: a parent can list a program before
  /// only listed ones may run.
  public func isUnlisted(_ program: RefusedProgram) -> Bool {
    guard !isRemoved else { return false }
    switch program.target {
    case .app(let id): return !isListed(.app(id))
    case .matcher(let matcher):
      return !apps.contains { id, app in app.matchers.contains(matcher) && isListed(.app(id)) }
    }
  }

  /// Returns whether it is listed: a parent gave it or its group a category, or always allows it.
  public func isListed(_ id: AppID) -> Bool { isListed(.app(id)) }

  /// The rules of unknown programs, which are one application.
  private var unknown: App {
    var app = App()
    app.name = "Unknown programs"
    app.category = unknownPrograms == .reward ? .reward : .neutral
    app.isBlocked = unknownPrograms == .block
    return app
  }

  /// Returns the rules of an ID that has none of its own.
  private static func neutral(_ name: String) -> App {
    var app = App()
    (app.name, app.category) = (name, .neutral)
    return app
  }

  /// Returns the default category of an application; `nil` if a parent has set one.
  public func categoryByDefault(_ id: AppID) -> AppCategory? {
    let app = apps[id] ?? App()
    let isSet = app.category != nil || groups(of: id).contains { $0.group.category != nil }
    return !isSet && app.isEnabled ? defaults[id] : nil
  }

  /// Returns the rate of an application in milli-points per minute.
  public func perMinute(_ use: AppUse) -> Int64 {
    use.milliPointsPerMinute ?? categories[use.category]?.rate ?? Self.usualRate
  }

  /// Returns the rate of an application in milli-points per hour.
  public func rate(of use: AppUse) -> PointsRate { PointsRate(milliPointsPerMinute: perMinute(use)) }

  /// Returns the milliseconds that were granted on a day, whatever they are for.
  func grantedForAnything(on day: FamilyDay) -> Int64 { granted(on: day) { _ in true } }

  /// Returns the milliseconds that were granted on a day for every program.
  public func grantedForAll(on day: FamilyDay) -> Int64 { granted(on: day) { $0.scope == .all } }

  /// Returns the milliseconds that were granted for a program on a day.
  func granted(_ subject: Subject, _ category: AppCategory, on day: FamilyDay) -> Int64 {
    granted(on: day) { $0.covers(subject, category) }
  }

  /// Returns the milliseconds that were granted for the applications of a category on a day.
  public func granted(_ category: AppCategory, on day: FamilyDay) -> Int64 {
    granted(on: day) { $0.scope == .all || $0.scope == .category(category) }
  }

  private func granted(on day: FamilyDay, _ covers: (Grant) -> Bool) -> Int64 {
    grants[day]?.values.reduce(0) { covers($1) ? $0 + $1.milliseconds : $0 } ?? 0
  }

  /// Returns the milliseconds that were taken away on a day from the limit of a scope.
  public func taken(from scope: GrantScope, on day: FamilyDay) -> Int64 {
    deductions[day]?.values.reduce(0) { $1.time.scope == scope ? $0 + $1.time.milliseconds : $0 } ?? 0
  }
}

extension RuleSet.App {
  /// A Boolean value that indicates whether it has no matchers other than contents of files.
  ///
  /// If so, a menu entry in the account's own folders decides which programs are meant.
  public var isRecognizedByContent: Bool { matchers.allSatisfy { $0.kind == .sha256 } }
}
