import LatchkeyModel

/// Weekdays as text: `mon`, `mon-fri`, or nothing for all seven.
public enum WeekdayText {
  /// Returns the runs of consecutive weekdays in a set, the earliest first; a run never passes from
  /// Sunday to Monday.
  public static func runs(of days: Set<Weekday>) -> [ClosedRange<Weekday>] {
    var runs: [ClosedRange<Weekday>] = []
    for day in Weekday.allCases where days.contains(day) {
      if let last = runs.last, last.upperBound.rawValue == day.rawValue - 1 {
        runs[runs.count - 1] = last.lowerBound...day
      } else {
        runs.append(day...day)
      }
    }
    return runs
  }

  /// Returns the text of an item: its run of weekdays, unless that is the whole week, and its
  /// value.
  static func item(_ run: ClosedRange<Weekday>, _ value: String) -> String {
    if run == (Weekday.monday...Weekday.sunday) { return value }
    let first = run.lowerBound.word
    return (run.lowerBound == run.upperBound ? first : "\(first)-\(run.upperBound.word)") + " " + value
  }

  /// Reads items such as `mon-fri 90, sat 120`, as a person may type them.
  ///
  /// Upper case and further spaces are accepted, and a run may pass from Sunday to Monday. Throws a
  /// fault for words that are not weekdays and for more than 64 items.
  static func items(_ text: String) throws(RuleFault) -> [(days: [Weekday], value: String)] {
    guard text.utf8.count <= 2_048 else {
      throw RuleFault("That is too long for one rule: leave out some of the days.")
    }
    var items: [(days: [Weekday], value: String)] = []
    for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ")
      guard let value = words.last else {
        throw RuleFault("A part of the rule is empty: remove the comma, or write something beside it.")
      }
      items.append((try days(words.dropLast().joined()), String(value)))
    }
    guard items.count <= 64 else { throw RuleFault("A rule takes at most 64 parts: leave out some.") }
    return items
  }

  private static func days(_ text: String) throws(RuleFault) -> [Weekday] {
    if text.isEmpty { return Weekday.allCases }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end in
      Weekday(word: end)
    }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
      throw RuleFault("\(text.debugDescription) is no weekday: write mon, tue, wed, thu, fri, sat, sun, or mon-fri.")
    }
    var days = [first]
    while let day = days.last, day != last { days.append(Weekday.allCases[(day.rawValue + 1) % 7]) }
    return days
  }
}
