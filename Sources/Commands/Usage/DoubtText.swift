import LatchkeyModel

/// The words for use that cannot be true.
enum DoubtText {
  /// What is wrong with a record, for a column.
  static func words(_ doubt: UsageDoubt) -> String {
    switch doubt {
    case .future: "impossible: in the future"
    case .past: "impossible: before 2026"
    case .overlong: "impossible: more use than time"
    case .overpaid: "impossible: more points than use"
    }
  }

  /// What is wrong with an amount of use on a day, for a column; empty if nothing is.
  static func words(_ milliseconds: Int64, of day: DailySummary) -> String {
    guard day.isTooLong(milliseconds) else { return "" }
    return "impossible: the day has \(day.dayMilliseconds / 3_600_000) hours"
  }

  /// A row for everything of a day together, if that is more than the day is long or if records of the day are doubtful.
  static func row(of day: DailySummary, machine: String) -> [[String]] {
    guard day.isImpossible || day.doubtfulSessions > 0 else { return [] }
    let all = day.apps.reduce(Int64(0)) { sum, app in
      let (next, overflow) = sum.addingReportingOverflow(app.activeMilliseconds)
      return overflow ? .max : next
    }
    let sessions =
      day.doubtfulSessions > 0 ? ShownText.count(day.doubtfulSessions, "impossible session") : ""
    let words = [words(all, of: day), sessions].filter { !$0.isEmpty }.joined(separator: "; ")
    return [[day.day, machine, "all", "all", ShownText.duration(all), "–", words]]
  }

  /// Says what may be behind impossible use, and what to do.
  ///
  /// - Parameter machines: the names of the machines that reported it.
  static func explain(_ machines: Set<String>, on console: any Console) {
    for machine in machines.sorted() {
      console.note(
        "latchkey: What \(ShownText.quoted(DeviceName(sanitising: machine))) reported cannot all be true: its clock was wrong, "
          + "several programs were left open at once, or its records were changed. Check the clock of that machine, and "
          + "compare its records with `latchkey usage list` there.")
    }
  }
}
