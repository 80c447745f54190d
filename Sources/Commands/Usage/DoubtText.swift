import LatchkeyModel

/// The words for use that cannot be true.
enum DoubtText {
  /// Returns the doubt about a record, for a column.
  static func words(_ doubt: UsageDoubt) -> String {
    switch doubt {
    case .future: "impossible: in the future"
    case .past: "impossible: before 2026"
    case .overlong: "impossible: more use than time"
    case .overpaid: "impossible: more points than use"
    }
  }

  /// Returns the doubt about an amount of use on a day; `nil` for none.
  static func words(_ milliseconds: Int64, of day: DailySummary) -> String? {
    guard day.isTooLong(milliseconds) else { return nil }
    return "impossible: the day has \(day.dayMilliseconds / 3_600_000) hours"
  }

  /// Returns the doubt about all use of a day together; `nil` for none.
  static func all(_ milliseconds: Int64, of day: DailySummary) -> String? {
    let sessions = day.doubtfulSessions > 0 ? ShownText.count(day.doubtfulSessions, "impossible session") : nil
    let words = [words(milliseconds, of: day), sessions].compactMap { $0 }
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }

  /// Prints the possible causes of impossible use and the next step, for the machines that reported it.
  static func explain(_ machines: Set<String>, on console: any Console) {
    for machine in machines.sorted() {
      console.note(
        "latchkey: What \(ShownText.quoted(DeviceName(sanitising: machine))) reported cannot all be true: its clock was wrong, "
          + "several programs were left open at once, or its records were changed. Check the clock of that machine, and "
          + "compare its records with `latchkey usage list` there.")
    }
  }
}
