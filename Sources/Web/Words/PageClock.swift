import Foundation
import LatchkeyModel

/// Moments as a family reads them, on the clock of its zone.
package struct PageClock: Sendable {
  private static let weekdays: [Phrase] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months: [Phrase] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// The beginning of the year 2020, in Unix milliseconds: Latchkey is younger.
  private static let earliest: Int64 = 1_577_836_800_000
  private static let dayMilliseconds: Int64 = 86_400_000
  /// A moment may be another machine's word.
  private static let moments: ClosedRange<Int64> = -2_000_000_000_000...250_000_000_000_000

  private let zone: TimeZone
  /// The present, in Unix milliseconds.
  let now: Int64

  /// Creates the clock of a zone by its name in the IANA list; without one, of this machine's zone.
  init(zone: String? = nil, now: Int64) {
    self.zone = zone.map { TimeZone(identifier: $0) ?? .gmt } ?? .current
    self.now = now
  }

  /// Returns a moment: the time of day, such as `19:20`, and the day before it if it is not near.
  func moment(_ milliseconds: Int64) -> Phrase {
    guard isKnown(milliseconds) else { return Phrase("an unknown time") }
    let (then, present) = (local(milliseconds), local(now))
    let time = time(milliseconds)
    // What is less than a day away needs no date.
    let isNear =
      abs(then.day * Self.dayMilliseconds + then.rest - present.day * Self.dayMilliseconds - present.rest) < 72_000_000
    guard then.day != present.day, !isNear else { return Phrase(verbatim: time) }
    let day = Self.day(FamilyDay(daysSinceEpoch: then.day))
    return Phrase("{day}, {time}", ["day": .phrase(day), "time": .text(time)])
  }

  /// Returns a moment as the time of day alone, such as `19:20`.
  func time(_ milliseconds: Int64) -> String {
    let minutes = local(milliseconds).rest / 60_000
    return "\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))"
  }

  /// Returns how long ago a moment was, such as `20 min ago`.
  func ago(_ milliseconds: Int64) -> Phrase {
    guard isKnown(milliseconds) else { return Phrase("at an unknown time") }
    let age = Self.held(now) - Self.held(milliseconds)
    guard age >= 60_000 else { return Phrase("just now") }
    guard age >= 86_400_000 else { return Phrase("{time} ago", ["time": .phrase(SpanText.phrase(of: age))]) }
    return Phrase(one: "{count} day ago", other: "{count} days ago", count: Int(age / 86_400_000))
  }

  /// Returns whether a moment can be right: a clock that was never set begins in 1970.
  func isKnown(_ milliseconds: Int64) -> Bool { milliseconds >= Self.earliest || now < Self.earliest }

  /// Returns a day in words, such as `Tue 24 Nov`.
  package static func day(_ day: FamilyDay) -> Phrase {
    let parts = day.description.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return Phrase(verbatim: day.description) }
    return Phrase(
      "{weekday} {day} {month}",
      ["weekday": .phrase(weekdays[weekday(day)]), "day": .number(parts[2]), "month": .phrase(months[parts[1] - 1])])
  }

  static func month(of day: FamilyDay) -> [FamilyDay] {
    let (start, month) = (day.advanced(byDays: 1 - dayOfMonth(day)), day.description.prefix(7))
    return (0..<31).map { start.advanced(byDays: $0) }.filter { $0.description.prefix(7) == month }
  }

  /// Returns the number of a day in its month, from 1.
  static func dayOfMonth(_ day: FamilyDay) -> Int { Int(day.description.suffix(2)) ?? 1 }
  static func name(_ day: FamilyDay) -> Phrase { weekdays[weekday(day)] }

  /// Returns a weekday, such as `Tue`.
  static func name(_ day: Weekday) -> Phrase { weekdays[day.rawValue] }

  /// Returns the place of a day in its week, 0 for Monday.
  static func weekday(_ day: FamilyDay) -> Int { Int(((day.daysSinceEpoch + 3) % 7 + 7) % 7) }

  private func local(_ milliseconds: Int64) -> (day: Int64, rest: Int64) {
    let held = Self.held(milliseconds)
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(held) / 1_000))
    let shifted = held + Int64(offset) * 1_000
    let rest = (shifted % Self.dayMilliseconds + Self.dayMilliseconds) % Self.dayMilliseconds
    return ((shifted - rest) / Self.dayMilliseconds, rest)
  }

  private static func held(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, moments.lowerBound), moments.upperBound)
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
