import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyRules

/// A day of the calendar, such as `2026-11-01`.
struct CalendarDay: Hashable, Sendable, CustomStringConvertible {
  let year: Int
  let month: Int
  let day: Int

  /// Creates a day from `YYYY-MM-DD`; `nil` if the text is malformed or the day does not exist.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
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

  init(_ date: Date, in zone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    (year, month, day) = (parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
  }

  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

  /// Creates a day from what a person writes; `nil` for anything else.
  ///
  /// That is `2026-11-01`, `today`, `yesterday`, or a day of the week, which is the last one that
  /// was, today included. Without a zone, words are days of this machine's.
  init?(words: String, zone: TimeZone? = nil) {
    let environment = TerminalEnvironment.current
    let zone = zone ?? environment.timeZone
    let word = words.lowercased()
    let today = Date(timeIntervalSince1970: Double(environment.now()) / 1_000)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let back: Int
    switch word {
    case "today": back = 0
    case "yesterday": back = 1
    default:
      guard let weekday = Self.weekdays.firstIndex(where: { $0 == word || word.count >= 3 && $0.hasPrefix(word) })
      else {
        self.init(words)
        return
      }
      back = (calendar.component(.weekday, from: today) - 1 - weekday + 7) % 7
    }
    // From noon, which no clock change touches.
    let noon = calendar.date(bySettingHour: 12, minute: 0, second: 0, of: today) ?? today
    self.init(calendar.date(byAdding: .day, value: -back, to: noon) ?? noon, in: zone)
  }

  /// Reads a day as a person writes it.
  ///
  /// - Throws: `ValidationError` for anything else.
  @Sendable static func read(_ text: String) throws -> CalendarDay {
    guard let day = CalendarDay(words: text) else {
      throw ValidationError("That is no day: give one such as today, yesterday, monday or 2026-11-01.")
    }
    return day
  }

  /// The first moment of the day in `zone`, Unix milliseconds; where a clock change takes midnight
  /// away, the first there is.
  func start(in zone: TimeZone) -> Int64 { instant(hour: 0, minute: 0, second: 0, in: zone) }

  /// The first moment of the day after, Unix milliseconds.
  func end(in zone: TimeZone) -> Int64 { instant(hour: 24, minute: 0, second: 0, in: zone) }

  /// Returns the first moment, in Unix milliseconds, at which clocks in `zone` show a time of the
  /// day or a later one.
  ///
  /// A time that is left out when clocks go forward means the change, one that occurs twice its
  /// first occurrence.
  ///
  /// Spec: Protocol/11-rules.md §3.
  func instant(hour: Int, minute: Int, second: Int, in zone: TimeZone) -> Int64 {
    guard let date = FamilyDay(description) else { return 0 }
    let boundary = DayBoundary(zone)
    let start = boundary.instant(on: date, minute: hour * 60 + minute)
    // In an hour that is left out, no second passes.
    let isShown = boundary.minuteOfDay(at: start) == (hour * 60 + minute) % 1_440
    return isShown ? start + Int64(second) * 1_000 : start
  }

  var description: String {
    [(year, 4), (month, 2), (day, 2)].map { number, width in
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }.joined(separator: "-")
  }
}
