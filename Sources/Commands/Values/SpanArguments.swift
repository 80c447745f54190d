import ArgumentParser
import LatchkeyModel

/// Reads spans of time as people write them: `90s`, `15min`, `1h`, `1h30m`, `1 h 30 min`, `7d`.
enum SpanReader {
  private static let units: [String: Int64] = [
    "s": 1_000, "sec": 1_000, "second": 1_000, "seconds": 1_000, "m": 60_000, "min": 60_000, "mins": 60_000,
    "minute": 60_000, "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000,
    "day": 86_400_000, "days": 86_400_000,
  ]

  /// Returns a span in milliseconds; `nil` if the text is malformed.
  ///
  /// - Parameters:
  ///   - text: The argument, such as `90m`.
  ///   - plain: The milliseconds in the unit of a number without one; `nil` to require a unit.
  /// - Returns: The span.
  static func milliseconds(_ text: String, plain: Int64? = nil) -> Int64? {
    var rest = text.lowercased().filter { $0 != " " }[...]
    var total: Int64 = 0
    var last = Int64.max
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count)
      let word = rest.prefix { !("0"..."9").contains($0) }
      rest = rest.dropFirst(word.count)
      let isAlone = total == 0 && last == .max && rest.isEmpty
      guard let number = Int64(digits), let unit = word.isEmpty ? (isAlone ? plain : nil) : units[String(word)],
        unit < last
      else { return nil }
      let (part, isTooGreat) = number.multipliedReportingOverflow(by: unit)
      let (sum, overflows) = total.addingReportingOverflow(part)
      if isTooGreat || overflows { return nil }
      (total, last) = (sum, unit)
    }
    return total
  }

  /// Returns a span in whole minutes, where a number without a unit counts minutes; `nil` for anything else.
  static func minutes(_ text: String) -> Int? {
    guard let span = milliseconds(text, plain: 60_000), span % 60_000 == 0 else { return nil }
    return Int(exactly: span / 60_000)
  }
}

/// The longest that a subcommand waits: `60`, `90s`, `5min`; 1 second to 1 day.
struct WaitingTime: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
  let seconds: Int

  static let usual = WaitingTime(seconds: 60)

  init(seconds: Int) {
    self.seconds = seconds
  }

  init?(argument: String) {
    guard let span = SpanReader.milliseconds(argument, plain: 1_000), (1_000...86_400_000).contains(span) else {
      return nil
    }
    seconds = Int(span / 1_000)
  }

  var description: String { SpanText.of(Int64(seconds) * 1_000) }
}

/// The time after which a command expires: `90s`, `15min`, `2h`, `7d`, or `never`.
struct Lifetime: Hashable, Sendable {
  /// 0 for ever.
  let milliseconds: Int64

  /// Reads a lifetime.
  ///
  /// - Throws: `ValidationError` for one that is out of range.
  @Sendable static func read(_ text: String) throws -> Lifetime {
    if text.lowercased() == "never" { return Lifetime(milliseconds: 0) }
    guard let span = SpanReader.milliseconds(text), (1_000...Limits.longestLifetimeMilliseconds).contains(span) else {
      throw ValidationError("A command may wait from 1s to 366d, such as 90s, 15min, 2h or 7d, or never.")
    }
    return Lifetime(milliseconds: span)
  }
}

/// A limit of use: a time such as `45`, `45min`, `1h30m`, or `none`.
enum UseLimit: Hashable, Sendable {
  case minutes(Int)
  case none

  /// Reads a limit a day.
  ///
  /// - Throws: `ValidationError` for one that is out of range.
  @Sendable static func readDaily(_ text: String) throws -> UseLimit {
    try read(text, 0...1_440, "A daily limit is 0 to 24 hours, such as 45, 45min or 1h30m, or none.")
  }

  /// Reads a limit a week.
  ///
  /// - Throws: `ValidationError` for one that is out of range.
  @Sendable static func readWeekly(_ text: String) throws -> UseLimit {
    try read(text, 0...10_080, "A weekly limit is 0 to 7 days, such as 300, 5h or 7h30m, or none.")
  }

  private static func read(_ text: String, _ range: ClosedRange<Int>, _ fault: String) throws -> UseLimit {
    if text.lowercased() == "none" { return .none }
    guard !text.hasPrefix("-") || text.hasPrefix("--") else {
      throw ValidationError("A limit cannot be negative: give a time such as 45min, or none.")
    }
    guard let minutes = SpanReader.minutes(text), range.contains(minutes) else { throw ValidationError(fault) }
    return .minutes(minutes)
  }

  /// The minutes; `nil` for no limit.
  var value: Int? {
    switch self {
    case .minutes(let minutes): minutes
    case .none: nil
    }
  }
}
