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

  /// Prints the possible causes of impossible use and the next step, for the machines that reported
  /// it.
  static func explain(_ machines: Set<String>, on console: any Console) {
    for machine in machines.sorted() {
      console.note(
        "latchkey: What \(ShownText.quoted(DeviceName(sanitising: machine))) reported cannot all be true: its clock was wrong, "
          + "several programs were left open at once, or its records were changed. Check the clock of that machine, and "
          + "compare its records with `latchkey usage list` there.")
    }
  }
}
