import LatchkeyModel

/// A limit of time a day, by weekday.
///
/// As text: `90` for every day, or `mon-fri 90, sat-sun 120`, in minutes. A weekday that is not named has no limit.
///
/// Spec: Protocol/11-rules.md §1.
public struct DayLimits: Hashable, Sendable {
  /// The longest limit, a whole day: 1,440 minutes.
  public static let longest = 1_440

  /// The minutes of each weekday, Monday first; `nil` for no limit.
  public let minutes: [Int?]

  /// Creates the same limit for every day, in minutes; limited to 0 to 1,440.
  public init(everyDay minutes: Int) {
    self.minutes = Array(repeating: min(max(minutes, 0), Self.longest), count: 7)
  }

  /// Creates limits from text as a person may type it.
  public init(typed text: String) throws(RuleFault) {
    var minutes = [Int?](repeating: nil, count: 7)
    for (days, value) in try WeekdayText.items(text) {
      guard let number = RuleNumber.read(value) else {
        throw RuleFault("\(value.debugDescription) is no limit: give a number of minutes, such as 90.")
      }
      guard number <= Self.longest else {
        throw RuleFault(
          "A limit of \(RuleNumber.grouped(number)) minutes is longer than the day: give 0 to 1,440 minutes.")
      }
      for day in days {
        guard minutes[day.rawValue] == nil else {
          throw RuleFault("There are two limits for \(WeekdayText.word(day)): leave one out.")
        }
        minutes[day.rawValue] = Int(number)
      }
    }
    self.minutes = minutes
  }

  /// The minutes of a weekday; `nil` for no limit.
  public subscript(day: Weekday) -> Int? { minutes[day.rawValue] }

  /// The limits as text, which is the same for the same limits.
  public var text: String {
    var items: [(run: ClosedRange<Weekday>, minutes: Int)] = []
    for value in Set(minutes.compactMap { $0 }) {
      let days = Set(Weekday.allCases.filter { minutes[$0.rawValue] == value })
      items += WeekdayText.runs(of: days).map { ($0, value) }
    }
    items.sort { $0.run.lowerBound < $1.run.lowerBound }
    return items.map { WeekdayText.item($0.run, String($0.minutes)) }.joined(separator: ", ")
  }
}
