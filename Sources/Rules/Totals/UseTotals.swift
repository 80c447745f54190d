import LatchkeyModel

/// A stretch of use of one application on one of a child's machines.
public struct UseSpan: Hashable, Sendable {
  /// The application; `nil` if only the category is known.
  public var app: AppID?
  /// The category at the time.
  public var category: AppCategory
  /// The start in household time, Unix milliseconds.
  public var start: Int64
  /// The time of use in milliseconds.
  public var milliseconds: Int64

  /// Creates a stretch.
  public init(app: AppID?, category: AppCategory, start: Int64, milliseconds: Int64) {
    self.app = app
    self.category = category
    self.start = start
    self.milliseconds = milliseconds
  }

  /// Creates the stretch of a session: from its start, as long as its active time.
  public init(_ record: UsageRecord) {
    self.init(
      app: record.appID, category: record.category, start: record.sessionStart,
      milliseconds: record.activeMilliseconds)
  }
}

/// A child's use by family day, on all accounts and machines, each instant counted once.
///
/// The same stretches result in the same totals, in any order, any number of times, and in any parts. A session that runs
/// is added again as it grows.
///
/// Spec: Protocol/11-rules.md §8.
public struct UseTotals: Sendable {
  /// The longest stretch that is counted: 31 days, in milliseconds.
  public static let longestMilliseconds: Int64 = 31 * 86_400_000

  private let boundary: DayBoundary
  private var instants: UseInstants
  private var numbers: [AppID: Int] = [:]

  /// The totals of each day that has any.
  public private(set) var use: [FamilyDay: DayUse] = [:]

  /// Creates totals without use for a family's days.
  public init(_ boundary: DayBoundary, isLearningFree: Bool = false) {
    self.boundary = boundary
    instants = UseInstants(isLearningFree: isLearningFree)
  }

  /// Adds a stretch of use.
  ///
  /// A stretch that begins outside of the calendar is not counted, and one of more than 31 days only to that length.
  public mutating func add(_ span: UseSpan) {
    guard let stretch = UseInstants.stretch(from: span.start, milliseconds: span.milliseconds) else { return }
    var start = stretch.lowerBound
    while start < stretch.upperBound {
      let day = boundary.day(containing: start)
      let edge =
        day == .last ? stretch.upperBound : min(stretch.upperBound, max(boundary.end(of: day), start + 1))
      count(start..<edge, span, on: day)
      start = edge
    }
  }

  /// Leaves out the days before a day.
  public mutating func forget(before day: FamilyDay) {
    use = use.filter { $0.key >= day }
  }

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
    if let app = span.app { use[day, default: DayUse()].apps[app, default: 0] += added.app }
  }
}
