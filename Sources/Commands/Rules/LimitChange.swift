import LatchkeyModel

/// A change of a limit a day: of every day, or of some weekdays.
///
/// Each weekday with a limit of its own is a rule of its own, so that two people can change different days at once.
enum LimitChange: Hashable, Sendable {
  /// The minutes of every day; `nil` for no limit.
  case everyDay(Int?)
  /// The minutes of each weekday that is named; `nil` for no limit.
  case byDay([Weekday: Int?])

  /// Saturday and Sunday.
  static let weekend: [Weekday] = [.saturday, .sunday]

  /// Reads a limit such as `2h`, `none`, or `mon-thu 2h, fri-sun 3h`.
  init?(_ text: String) {
    if let limit = Self.limit(text) {
      self = .everyDay(limit)
      return
    }
    var limits: [Weekday: Int?] = [:]
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = item.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let days = Self.days(words[0]), let limit = Self.limit(String(words[1])) else {
        return nil
      }
      for day in days where limits.updateValue(limit, forKey: day) != nil { return nil }
    }
    guard !limits.isEmpty else { return nil }
    self = .byDay(limits)
  }

  /// Returns the minutes of a limit a day, `.some(nil)` for `none`; `nil` for any other text.
  static func limit(_ text: String) -> Int?? {
    if text.lowercased() == "none" { return .some(nil) }
    guard let minutes = SpanReader.minutes(text), (0...1_440).contains(minutes) else { return nil }
    return .some(minutes)
  }

  /// Returns the days of a word such as `mon` or `fri-sun`; `nil` if it names none.
  private static func days(_ word: some StringProtocol) -> [Weekday]? {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { end in
      Weekday.allCases.first { end.lowercased().hasPrefix($0.word) && end.allSatisfy(\.isLetter) }
    }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
      return nil
    }
    return Weekday.allCases.filter { (first...last).contains($0) }
  }
}

/// The keys of the limits on one thing: all screen time, a category, or an application.
struct LimitKeys {
  /// The key of the limit of every day.
  let daily: String
  /// The weekdays whose own limits give way to a limit of every day.
  private let replaced: [Weekday]

  init(_ category: AppCategory?) {
    daily = category.map { "category/\($0.rawValue)/limit" } ?? "limits/daily"
    replaced = Self.weekdays
  }

  private init(daily: String, replaced: [Weekday]) { (self.daily, self.replaced) = (daily, replaced) }

  /// The keys of the limits on an application that the request names.
  static let ofApp = LimitKeys(daily: "limit", replaced: Weekday.allCases)

  /// Returns the key of the limit a week.
  static func weekly(_ category: AppCategory?) -> String {
    "\(category.map { "category/\($0.rawValue)" } ?? "limits")/weekly"
  }

  /// Returns the changes that set a limit a day, for a child or for the family.
  ///
  /// The limit of every day replaces those of Monday to Friday, and leaves a limit that Saturday and Sunday have of their own,
  /// except for an application.
  func changes(_ change: LimitChange) -> [RuleRequest.Change] {
    switch change {
    case .everyDay(let limit): [.init(daily, Self.text(limit))] + removal(of: replaced)
    case .byDay(let limits): limits.sorted { $0.key < $1.key }.map { .init(key($0), Self.text($1)) }
    }
  }

  /// Returns the changes after which days have the limit of every day again.
  func removal(of days: [Weekday]) -> [RuleRequest.Change] { days.map { .init(key($0), nil) } }

  /// Monday to Friday.
  static let weekdays = Weekday.allCases.filter { !LimitChange.weekend.contains($0) }

  private func key(_ day: Weekday) -> String { "\(daily)/\(day.word)" }

  private static func text(_ limit: Int?) -> String { limit.map { String($0) } ?? "none" }
}
