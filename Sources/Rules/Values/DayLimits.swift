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

  /// The limits as text, which is the same for the same limits: `90`, or `mon-fri 90, sat-sun 120`, in minutes.
  ///
  /// A weekday without a limit is not named.
  public var text: String {
    var items: [(run: ClosedRange<Weekday>, minutes: Int)] = []
    for value in Set(minutes.compactMap { $0 }) {
      let days = Set(Weekday.allCases.filter { minutes[$0.rawValue] == value })
      items += WeekdayText.runs(of: days).map { ($0, value) }
    }
    items.sort { $0.run.lowerBound < $1.run.lowerBound }
    return items.map { WeekdayText.item($0.run, String($0.minutes)) }.joined(separator: ", ")
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
}
