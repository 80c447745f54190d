import Foundation

/// A day of the calendar, such as `2026-11-01`.
struct CalendarDay: Hashable, Sendable, CustomStringConvertible {
  let year: Int
  let month: Int
  let day: Int

  /// Read `YYYY-MM-DD`; nil for anything else, and for days that do not exist.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year >= 1970
    else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let components = DateComponents(year: year, month: month, day: day)
    guard let date = calendar.date(from: components),
      calendar.dateComponents([.year, .month, .day], from: date) == components
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The first moment of the day in `zone`, Unix milliseconds; where a clock change takes midnight away, the first there is.
  func start(in zone: TimeZone) -> Int64 { start(in: zone, addingDays: 0) }

  /// The first moment of the day after, Unix milliseconds.
  func end(in zone: TimeZone) -> Int64 { start(in: zone, addingDays: 1) }

  private func start(in zone: TimeZone, addingDays days: Int) -> Int64 {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    // From noon, which no clock change touches, to the start of its day.
    let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)) ?? .distantPast
    let shifted = calendar.date(byAdding: .day, value: days, to: noon) ?? noon
    return Int64((calendar.startOfDay(for: shifted).timeIntervalSince1970 * 1_000).rounded())
  }

  var description: String {
    [(year, 4), (month, 2), (day, 2)].map { number, width in
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }.joined(separator: "-")
  }
}
