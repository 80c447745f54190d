import LatchkeyModel

/// Limits of time a day, by weekday.
///
/// Spec: Protocol/11-rules.md §1, §2.
public struct DayLimits: Hashable, Sendable {
  /// The longest limit, a whole day: 1,440 minutes.
  public static let longest = 1_440

  /// The minutes of each weekday, Monday first; `nil` for no limit.
  public private(set) var minutes: [Int?]

  /// Creates the same limit for every day, in minutes, limited to 0 to 1,440; `nil` for no limit.
  public init(everyDay minutes: Int?) {
    self.minutes = Array(repeating: minutes.map { min(max($0, 0), Self.longest) }, count: 7)
  }

  /// The minutes of a weekday; `nil` for no limit.
  public subscript(day: Weekday) -> Int? {
    get { minutes[day.rawValue] }
    set { minutes[day.rawValue] = newValue.map { min(max($0, 0), Self.longest) } }
  }

  /// A Boolean value that indicates whether no weekday has a limit.
  public var isEmpty: Bool { minutes.allSatisfy { $0 == nil } }

  /// The limits as text, which is the same for the same limits: `90`, or `mon-fri 90, sat-sun 120`,
  /// in minutes.
  ///
  /// A weekday without a limit is not named.
  public var text: String { written { String($0) } }

  /// The limits in words, such as "1 h 30 min" or "mon-fri 1 h, sat 2 h".
  public var words: String { written { SpanText.minutes($0) } }

  private func written(_ write: (Int) -> String) -> String {
    var items: [(run: ClosedRange<Weekday>, minutes: Int)] = []
    for value in Set(minutes.compactMap { $0 }) {
      let days = Set(Weekday.allCases.filter { minutes[$0.rawValue] == value })
      items += WeekdayText.runs(of: days).map { ($0, value) }
    }
    items.sort { $0.run.lowerBound < $1.run.lowerBound }
    return items.map { WeekdayText.item($0.run, write($0.minutes)) }.joined(separator: ", ")
  }

  public init(_ text: String) throws(RuleFault) {
    self.init(everyDay: nil)
    for (days, value) in try WeekdayText.items(text) {
      let minutes = try Self.read(value)
      for day in days { self[day] = minutes }
    }
  }

  /// Reads the limit of one day: minutes, or `none`.
  static func read(_ text: String) throws(RuleFault) -> Int? {
    if text.lowercased() == "none" { return nil }
    guard let number = RuleNumber.read(text) else {
      throw RuleFault("\(text.debugDescription) is no limit: give a number of minutes, such as 90, or none.")
    }
    guard number <= longest else {
      throw RuleFault(
        "A limit of \(RuleNumber.grouped(number)) minutes is longer than the day: give 0 to 1,440 minutes, or none.")
    }
    return Int(number)
  }

  /// Reads the limit of one day as a parent gives it: a time such as `45`, `45min` or `1h30m`, or
  /// `none`.
  static func given(_ text: String) throws(RuleFault) -> Int? {
    if text.lowercased() == "none" { return nil }
    guard !text.hasPrefix("-") else {
      throw RuleFault("A limit cannot be negative: give a time such as 45min, or none.")
    }
    guard let minutes = SpanReader.minutes(text), (0...longest).contains(minutes) else {
      throw RuleFault("A limit a day is 0 to 24 hours, such as 45, 45min or 1h30m, or none.")
    }
    return minutes
  }

  static func text(of minutes: Int?) -> String { minutes.map { String($0) } ?? "none" }
}

extension DayLimits {
  /// A change of a limit a day: of every day, or of some weekdays.
  ///
  /// Each weekday with a limit of its own is a rule of its own, so that two people can change
  /// different days at once.
  public struct Change: Hashable, Sendable {
    public static let weekend: [Weekday] = [.saturday, .sunday]
    /// Monday to Friday.
    public static let weekdays = Weekday.allCases.filter { !weekend.contains($0) }

    /// The minutes of every day, which have no weekday, or of each weekday that is named; `nil` for
    /// no limit.
    public let minutes: [Weekday?: Int?]

    /// Creates the change of some days to the same limit.
    public init(_ days: [Weekday], _ minutes: Int?) {
      self.minutes = Dictionary(days.map { ($0, minutes) }) { first, _ in first }
    }

    /// Reads limits as a parent gives them: `2h`, `none`, or `mon-thu 2h, fri-sun 3h`.
    public init(given text: String) throws(RuleFault) {
      guard text.contains(" "), SpanReader.minutes(text) == nil else {
        minutes = [nil: try DayLimits.given(text)]
        return
      }
      var limits: [Weekday?: Int?] = [:]
      for item in text.split(separator: ",", omittingEmptySubsequences: false) {
        let words = item.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let days = Self.days(words[0]) else { throw .byWeekday }
        let limit: Int?
        do { limit = try DayLimits.given(String(words[1])) } catch { throw .byWeekday }
        for day in days where limits.updateValue(limit, forKey: day) != nil { throw .byWeekday }
      }
      minutes = limits
    }

    /// Returns the changes of rules; a limit of every day takes the place of those that `replaced`
    /// weekdays have of their own.
    public func changes(of limit: String, replacing replaced: [Weekday]) -> [RuleRequest.Change] {
      if let everyDay = minutes[nil] {
        return [.init(limit, DayLimits.text(of: everyDay))] + Self.removal(of: limit, on: replaced)
      }
      return Weekday.allCases.compactMap { day in
        minutes[day].map { .init("\(limit)/\(day.word)", DayLimits.text(of: $0)) }
      }
    }

    /// Returns the changes after which weekdays have the limit of every day again.
    public static func removal(of limit: String, on days: [Weekday]) -> [RuleRequest.Change] {
      days.map { .init("\(limit)/\($0.word)", nil) }
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
}

extension RuleFault {
  fileprivate static let byWeekday = RuleFault(
    "A limit a day is 0 to 24 hours, such as 2h or 1h30m, or by weekday, such as \"mon-thu 1h, fri 2h\", or none.")
}
