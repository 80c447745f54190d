import LatchkeyModel

/// A limit of time a day, for the whole day or for some of its hours.
///
/// Spec: Protocol/11-rules.md §1.
public struct DayLimit: Hashable, Sendable {
  /// The minutes, 0 to 1,440.
  public let minutes: Int
  /// The hours within which use counts and is closed; `nil` for the whole day.
  public let hours: ClockWindow?

  /// Creates a limit of minutes, which are limited to 0 to 1,440.
  public init(_ minutes: Int, within hours: ClockWindow? = nil) {
    (self.minutes, self.hours) = (min(max(minutes, 0), DayLimits.longest), hours)
  }

  public var milliseconds: Int64 { Int64(minutes) * 60_000 }

  /// The limit as text, such as `60` or `60 within 16:00-20:00`.
  public var text: String { "\(minutes)" + (hours.map { " within \($0.text)" } ?? "") }

  /// The limit in words, such as "1 h" or "1 h between 16:00 and 20:00".
  public var words: String { phrase.worded() }

  var phrase: Phrase {
    let time = SpanText.phrase(minutes: minutes)
    guard let hours = hoursPhrase else { return time }
    return Phrase("{time} {hours}", ["time": .phrase(time), "hours": .phrase(hours)])
  }

  /// The hours in words, such as "between 16:00 and 20:00"; `nil` for the whole day.
  var hoursInWords: String? { hoursPhrase?.worded() }

  var hoursPhrase: Phrase? {
    hours.map { hours in
      let ends = hours.text.split(separator: "-").map { Phrase.Argument.text(String($0)) }
      return Phrase("between {start} and {end}", ["start": ends.first ?? "", "end": ends.last ?? ""])
    }
  }
}

/// Limits of time a day, by weekday.
///
/// Spec: Protocol/11-rules.md §1, §2.
public struct DayLimits: Hashable, Sendable {
  /// The longest limit, a whole day: 1,440 minutes.
  public static let longest = 1_440

  /// The limit of each weekday, Monday first; `nil` for none.
  private var limits: [DayLimit?]

  /// Creates the same limit for every day, in minutes, limited to 0 to 1,440; `nil` for no limit.
  public init(everyDay minutes: Int?) { self.init(everyDay: minutes.map { DayLimit($0) }) }

  init(everyDay limit: DayLimit?) { limits = Array(repeating: limit, count: 7) }

  public subscript(day: Weekday) -> DayLimit? {
    get { limits[day.rawValue] }
    set { limits[day.rawValue] = newValue }
  }

  /// A Boolean value that indicates whether no weekday has a limit.
  public var isEmpty: Bool { limits.allSatisfy { $0 == nil } }

  /// A Boolean value that indicates whether the limit of a weekday has hours.
  public var hasHours: Bool { limits.contains { $0?.hours != nil } }

  /// The limits as text, which is the same for the same limits: `90`, or `mon-fri 90, sat-sun 120`,
  /// in minutes.
  ///
  /// A weekday without a limit is not named.
  public var text: String { written(\.text) }

  /// The limits in words, such as "1 h 30 min" or "mon-fri 1 h, sat 2 h".
  public var words: String { written(\.words) }

  /// The limits as a phrase, such as "Mon–Fri 1 h and Sat 2 h".
  public var phrase: Phrase {
    let items = items.map { Phrase.Argument.phrase(WeekdayText.phrase($0.run, $0.limit.phrase)) }
    return Phrase("{limits}", ["limits": .list(items)])
  }

  private func written(_ write: (DayLimit) -> String) -> String {
    items.map { WeekdayText.item($0.run, write($0.limit)) }.joined(separator: ", ")
  }

  /// The limits, each with the weekdays in a row that have it.
  private var items: [(run: ClosedRange<Weekday>, limit: DayLimit)] {
    var items: [(run: ClosedRange<Weekday>, limit: DayLimit)] = []
    for value in Set(limits.compactMap { $0 }) {
      let days = Set(Weekday.allCases.filter { self[$0] == value })
      items += WeekdayText.runs(of: days).map { ($0, value) }
    }
    return items.sorted { $0.run.lowerBound < $1.run.lowerBound }
  }

  public init(_ text: String) throws(RuleFault) {
    self.init(everyDay: DayLimit?.none)
    // An item is weekdays and one word.
    for (days, value) in try WeekdayText.items(text.replacing(" within ", with: "/")) {
      let limit = try Self.readWithHours(value.replacing("/", with: " within "))
      for day in days { self[day] = limit }
    }
  }

  /// Reads a limit of an application or a group: minutes, which hours may follow, or `none`.
  static func readWithHours(_ text: String) throws(RuleFault) -> DayLimit? {
    guard let (time, hours) = parts(text) else { return try read(text) }
    return try within(hours, try read(time))
  }

  /// Returns a limit of time within hours that are not shorter.
  private static func within(_ hours: String, _ limit: DayLimit?) throws(RuleFault) -> DayLimit {
    guard let limit else { throw .noneWithHours }
    guard !hours.isEmpty else { throw .hoursMissing }
    let window = try ClockWindow(typed: hours)
    guard limit.minutes <= window.length else { throw .longerThan(window, limit) }
    return DayLimit(limit.minutes, within: window)
  }

  /// Returns a time and the hours that `within` separates; `nil` for a text without hours.
  static func parts(_ text: String) -> (time: String, hours: String)? {
    let words = text.split(separator: " ")
    guard let index = words.firstIndex(where: { $0.lowercased() == "within" }) else { return nil }
    return (words[..<index].joined(separator: " "), words[(index + 1)...].joined(separator: " "))
  }

  /// Reads the limit of one day: minutes, or `none`.
  static func read(_ text: String) throws(RuleFault) -> DayLimit? {
    if text.lowercased() == "none" { return nil }
    guard let number = RuleNumber.read(text) else {
      guard parts(text) == nil else { throw .hoursOfAll }
      throw RuleFault(
        Phrase(
          "{text} is no limit: give a number of minutes, such as 90, or none.", ["text": .text(text.debugDescription)]))
    }
    guard number <= longest else {
      throw RuleFault(
        Phrase(
          "A limit of {minutes} minutes is longer than the day: give 0 to 1,440 minutes, or none.",
          ["minutes": .text(RuleNumber.grouped(number))]))
    }
    return DayLimit(Int(number))
  }

  /// Reads a parent's limit of an application or a group, such as `1h within 16:00-20:00`.
  static func givenWithHours(_ text: String) throws(RuleFault) -> DayLimit? {
    guard let (time, hours) = parts(text) else { return try given(text) }
    return try within(hours, try given(time))
  }

  /// Reads a parent's limit: a time such as `45`, `45min` or `1h30m`, or `none`.
  static func given(_ text: String) throws(RuleFault) -> DayLimit? {
    guard parts(text) == nil else { throw .hoursOfAll }
    if text.lowercased() == "none" { return nil }
    guard !text.hasPrefix("-") else {
      throw RuleFault("A limit cannot be negative: give a time such as 45min, or none.")
    }
    guard let minutes = SpanReader.minutes(text), (0...longest).contains(minutes) else {
      throw RuleFault("A limit a day is 0 to 24 hours, such as 45, 45min or 1h30m, or none.")
    }
    return DayLimit(minutes)
  }

  static func text(of limit: DayLimit?) -> String { limit?.text ?? "none" }
}

extension RuleFault {
  fileprivate static let noneWithHours = RuleFault(
    "No limit has no hours: give a time and the hours, such as 1h within 16:00-20:00, or none alone.")
  fileprivate static let hoursMissing = RuleFault(
    "The hours are missing after within: write them, such as 1h within 16:00-20:00, or leave the word out.")
  fileprivate static func longerThan(_ hours: ClockWindow, _ limit: DayLimit) -> RuleFault {
    let ends = hours.text.split(separator: "-").map { Phrase.Argument.text(String($0)) }
    return RuleFault(
      Phrase(
        """
        {limit} is longer than {start} to {end}, so it limits nothing: give less, or only the hours with --hours {hours}.
        """,
        ["limit": .phrase(limit.phrase), "start": ends.first ?? "", "end": ends.last ?? "", "hours": .text(hours.text)])
    )
  }
  fileprivate static let hoursOfAll = RuleFault(
    "Only a limit on an application or a group has hours: give a time alone, such as 2h, or none.")
}
