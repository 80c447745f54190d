import ArgumentParser
import Foundation

/// The value of --from or --to: a day as `CalendarDay` reads it, or a moment such as
/// `2026-11-01T14:30:00+01:00`, which is local time without a zone.
enum TimeBound: Hashable, Sendable, ExpressibleByArgument {
  case day(CalendarDay)
  /// A moment whose zone was given, Unix milliseconds.
  case moment(Int64)
  /// A moment on the local clock.
  case local(CalendarDay, hour: Int, minute: Int, second: Int)

  init?(argument: String) { self.init(argument: argument, zone: nil) }

  /// Creates a bound; without a zone, words such as `yesterday` are days of this machine's.
  init?(argument: String, zone: TimeZone?) {
    if let day = CalendarDay(words: argument, zone: zone) {
      self = .day(day)
    } else if let bound = Self.local(argument) {
      self = bound
    } else if let date = Self.moment(argument) {
      self = .moment(Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    } else {
      return nil
    }
  }

  /// Reads a day or a moment as a person writes it.
  ///
  /// - Throws: `ValidationError` for anything else.
  @Sendable static func read(_ text: String) throws -> TimeBound {
    guard let bound = TimeBound(argument: text) else {
      throw ValidationError("Give a day such as today, yesterday or 2026-11-01, or a moment such as 2026-11-01T14:30.")
    }
    return bound
  }

  private static func moment(_ text: String) -> Date? {
    for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
      // `parse` would be content with a beginning of the text.
      let read = try? style.consuming(text, startingAt: text.startIndex, in: text.startIndex..<text.endIndex)
      if let read, read.upperBound == text.endIndex { return read.output }
    }
    return nil
  }

  private static func local(_ text: String) -> TimeBound? {
    let halves = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "T" || $0 == " " })
    guard halves.count == 2, let day = CalendarDay(String(halves[0])) else { return nil }
    let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { UInt8($0) }.map(Int.init)
    guard numbers.count == parts.count, numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60
    else { return nil }
    return .local(day, hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
  }

  /// The first millisecond of a range that begins here.
  func lowerBound(in zone: TimeZone) -> Int64 {
    switch self {
    case .day(let day): day.start(in: zone)
    case .moment, .local: instant(in: zone)
    }
  }

  /// The first millisecond after a range that ends here: the whole of a day belongs to the range,
  /// and so does a moment.
  func upperBound(in zone: TimeZone) -> Int64 {
    switch self {
    case .day(let day): day.end(in: zone)
    case .moment, .local: instant(in: zone) + 1
    }
  }

  private func instant(in zone: TimeZone) -> Int64 {
    switch self {
    case .day(let day): return day.start(in: zone)
    case .moment(let milliseconds): return milliseconds
    case .local(let day, let hour, let minute, let second):
      return day.instant(hour: hour, minute: minute, second: second, in: zone)
    }
  }
}
