import LatchkeyModel

/// A child's use by family day, on all accounts and machines, each instant counted once.
///
/// The same stretches result in the same totals, in any order, any number of times, and in any
/// parts. A session that runs is added again as it grows.
///
/// Spec: Protocol/11-rules.md §8.
public struct UseTotals: Sendable {
  private let boundary: DayBoundary
  private var instants: UseInstants
  private var numbers: [AppID: Int] = [:]
  /// The groups that applications are in, and the instants of their use.
  private var groups: [AppID: [GroupName]] = [:]
  private var spans: [GroupName: SpanSet] = [:]
  /// The limits that have hours, and the instants of use within them.
  private var limits: [Limited: DayLimits] = [:]
  private var within: [Limited: SpanSet] = [:]
  /// The hours of the limits on the days on which there was use.
  private var hours: [Limited: [FamilyDay: [Range<Int64>]]] = [:]

  /// The subject of a limit with hours.
  private enum Limited: Hashable, Sendable {
    case app(AppID)
    case group(GroupName)
  }

  public private(set) var use: [FamilyDay: DayUse] = [:]
  /// The instants of the time at a machine and of rewards, from which breaks follow on every day.
  private var certain = SpanSet()
  /// The instants of other screen time, and the days on which time at a machine was measured.
  private var others: [FamilyDay: SpanSet] = [:]
  private var measured: Set<FamilyDay> = []
  private let isOfPrograms: Bool

  /// The instants from which breaks follow: the time at a machine, and rewards that run.
  ///
  /// Where the time of programs alone is measured, and on days without time at a machine, these are
  /// the instants of all screen time.
  public var presence: SpanSet {
    var presence = certain
    for (day, spans) in others where isOfPrograms || !measured.contains(day) {
      for range in spans.ranges { presence.insert(range) }
    }
    return presence
  }

  /// Creates totals without use for the limits among a child's rules.
  public init(_ rules: RuleSet) {
    self.init(
      rules.boundary, isLearningFree: rules.screenTime.learning == .free,
      isOfPrograms: rules.screenTime.source == .programs, groups: rules.usedGroups,
      apps: rules.apps.compactMapValues { $0.isEnabled ? $0.limit : nil })
  }

  /// Creates totals without use, for groups of applications and applications with limits.
  public init(
    _ boundary: DayBoundary, isLearningFree: Bool = false, isOfPrograms: Bool = false,
    groups: [GroupName: RuleSet.Group] = [:], apps: [AppID: DayLimits] = [:]
  ) {
    (self.isOfPrograms, self.boundary) = (isOfPrograms, boundary)
    for (app, limit) in apps where limit.hasHours { limits[.app(app)] = limit }
    for (name, group) in groups { if let limit = group.limit, limit.hasHours { limits[.group(name)] = limit } }
    for (name, group) in groups where group.limit != nil || group.weekly != nil {
      for app in group.members { self.groups[app, default: []].append(name) }
    }
    instants = UseInstants(isLearningFree: isLearningFree)
  }

  /// Adds a stretch of use.
  ///
  /// A stretch that begins outside of the calendar does not count. A stretch of more than 31 days
  /// counts as 31 days.
  public mutating func add(_ span: UseSpan) {
    guard let stretch = SpanSet.stretch(from: span.start, milliseconds: span.milliseconds) else { return }
    // Other programs count from their start for as long as they were active, so a pause within one
    // of them would be missed.
    let isCertain = span.app == .screenTime || span.category == .reward
    if isCertain { certain.insert(stretch) }
    let isOther = !isCertain && !(instants.isLearningFree && span.category == .learning)
    var start = stretch.lowerBound
    while start < stretch.upperBound {
      let day = boundary.day(containing: start)
      let edge = day == .last ? stretch.upperBound : min(stretch.upperBound, max(boundary.end(of: day), start + 1))
      count(start..<edge, span, on: day)
      if span.app == .screenTime { measured.insert(day) }
      if isOther { others[day, default: SpanSet()].insert(start..<edge) }
      start = edge
    }
  }

  public mutating func forget(before day: FamilyDay) { use = use.filter { $0.key >= day } }

  private mutating func count(_ range: Range<Int64>, _ span: UseSpan, on day: FamilyDay) {
    if span.app == .screenTime {
      let added = instants.add(range)
      if added > 0 { use[day, default: DayUse()].screen += added }
      return
    }
    let number = span.app.map { app in
      if let known = numbers[app] { return known }
      numbers[app] = numbers.count
      return numbers.count - 1
    }
    let added = instants.add(range, span.category, app: number)
    guard added.screen + added.category + added.app > 0 else { return }
    use[day, default: DayUse()].screen += added.screen
    use[day, default: DayUse()].categories[span.category, default: 0] += added.category
    guard let app = span.app else { return }
    use[day, default: DayUse()].apps[app, default: 0] += added.app
    for group in groups[app] ?? [] {
      let added = spans[group, default: SpanSet()].insert(range)
      use[day, default: DayUse()].groups[group, default: 0] += added
      let within = addWithin(.group(group), range, on: day)
      if within > 0 { use[day, default: DayUse()].groupsWithin[group, default: 0] += within }
    }
    let within = addWithin(.app(app), range, on: day)
    if within > 0 { use[day, default: DayUse()].appsWithin[app, default: 0] += within }
  }

  /// Adds the part of a range within the hours of a limit, if any, and returns what was new.
  private mutating func addWithin(_ limited: Limited, _ range: Range<Int64>, on day: FamilyDay) -> Int64 {
    guard let limit = limits[limited] else { return 0 }
    guard let window = limit[day.weekday]?.hours else { return within[limited, default: SpanSet()].insert(range) }
    let spans = hours[limited]?[day] ?? Intervals(window, around: day, boundary).spans
    hours[limited, default: [:]][day] = spans
    return spans.reduce(0) { $0 + within[limited, default: SpanSet()].insert($1.clamped(to: range)) }
  }
}

/// The instants of a child's use: of everything together, of each category, and of each
/// application.
///
/// All totals of use are added up here. An instant counts once in each of the three, however many
/// accounts, machines and programs were in use.
///
/// Spec: Protocol/11-rules.md §8.
struct UseInstants: Sendable {
  /// Amounts of use in milliseconds.
  struct Amounts: Hashable, Sendable {
    var screen: Int64
    var category: Int64
    var app: Int64
  }

  /// A Boolean value that indicates whether learning is no screen time.
  let isLearningFree: Bool
  private var screen = SpanSet()
  private var categories = [SpanSet](repeating: SpanSet(), count: AppCategory.allCases.count)
  private var apps: [SpanSet] = []

  init(isLearningFree: Bool = false) { self.isLearningFree = isLearningFree }

  /// Adds a range of instants, and returns the time that was not counted before.
  ///
  /// `app` numbers the caller's applications from 0; `nil` if only the category is known.
  mutating func add(_ range: Range<Int64>, _ category: AppCategory, app: Int?) -> Amounts {
    let inScreen = isLearningFree && category == .learning ? 0 : screen.insert(range)
    let inCategory = categories[category.number].insert(range)
    guard let app else { return Amounts(screen: inScreen, category: inCategory, app: 0) }
    while apps.count <= app { apps.append(SpanSet()) }
    return Amounts(screen: inScreen, category: inCategory, app: apps[app].insert(range))
  }

  /// Adds a range of screen time without an application, and returns what was new.
  mutating func add(_ range: Range<Int64>) -> Int64 { screen.insert(range) }
}

extension AppCategory {
  /// The place of the category among all of them.
  fileprivate var number: Int {
    switch self {
    case .learning: 0
    case .reward: 1
    case .neutral: 2
    }
  }
}
