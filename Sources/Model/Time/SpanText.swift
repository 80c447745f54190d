/// Durations in words.
public enum SpanText {
  /// Returns a duration, rounded down, such as `40 s`, `5 min`, `1 h 59 min` or `2 days`.
  public static func of(_ milliseconds: Int64) -> String { phrase(of: milliseconds).worded() }

  /// Returns a time that is left, in whole minutes rounded down, such as `less than 1 min`.
  public static func left(_ milliseconds: Int64) -> String { phrase(left: milliseconds).worded() }

  /// Returns a number of minutes, such as `45 min` or `1 h 30 min`.
  public static func minutes(_ minutes: Int) -> String { phrase(minutes: minutes).worded() }

  /// Returns a duration as a phrase, rounded down.
  public static func phrase(of milliseconds: Int64) -> Phrase {
    let seconds = max(0, milliseconds) / 1_000
    switch seconds {
    case ..<60: return Phrase("{seconds} s", ["seconds": .number(Int(seconds))])
    case ..<86_400: return phrase(minutes: Int(seconds / 60))
    default: return Phrase(one: "{count} day", other: "{count} days", count: Int(seconds / 86_400))
    }
  }

  /// Returns a time that is left as a phrase, in whole minutes rounded down.
  public static func phrase(left milliseconds: Int64) -> Phrase {
    milliseconds < 60_000 ? Phrase("less than 1 min") : phrase(minutes: Int(clamping: milliseconds / 60_000))
  }

  public static func phrase(minutes: Int) -> Phrase {
    let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
    if hours == 0 { return Phrase("{minutes} min", ["minutes": .number(rest)]) }
    if rest == 0 { return Phrase("{hours} h", ["hours": .number(hours)]) }
    return Phrase("{hours} h {minutes} min", ["hours": .number(hours), "minutes": .number(rest)])
  }

  /// Returns a number of milliseconds as a phrase, in whole minutes rounded down.
  public static func phrase(whole milliseconds: Int64) -> Phrase {
    phrase(minutes: Int(clamping: max(0, milliseconds) / 60_000))
  }
}

/// Spans of time as people write them: `90s`, `15min`, `1h30m`, `1 h 30 min`, `1.5h`, `7d`.
public enum SpanReader {
  private static let units: [String: Int64] = [
    "s": 1_000, "sec": 1_000, "second": 1_000, "seconds": 1_000, "m": 60_000, "min": 60_000, "mins": 60_000,
    "minute": 60_000, "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000,
    "day": 86_400_000, "days": 86_400_000,
  ]

  /// Returns a span such as `90m` in milliseconds; `nil` if it is malformed.
  ///
  /// `plain` are the milliseconds of a number without a unit; `nil` to require one.
  public static func milliseconds(_ text: String, plain: Int64? = nil) -> Int64? {
    var rest = text.lowercased().filter { $0 != " " }[...]
    var total: Int64 = 0
    var last = Int64.max
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count)
      if rest.first == "." {
        // Half an hour alone: `1.5h`.
        guard total == 0, last == .max, let part = hours(digits, rest.dropFirst()) else { return nil }
        return part
      }
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

  /// Returns hours with a fraction, such as `1.5h`, in milliseconds; `nil` unless whole minutes.
  private static func hours(_ whole: Substring, _ rest: Substring) -> Int64? {
    let fraction = rest.prefix { ("0"..."9").contains($0) }
    guard (1...2).contains(fraction.count), units[String(rest.dropFirst(fraction.count))] == 3_600_000,
      let hours = Int64(whole), hours <= 8_784, let digits = Int64(fraction)
    else { return nil }
    let parts = digits * (fraction.count == 1 ? 360_000 : 36_000)
    return parts % 60_000 == 0 ? hours * 3_600_000 + parts : nil
  }

  /// Returns the valid form of a span that was typed like `1:30` or `1,5h`; otherwise `nil`.
  public static func meant(_ text: String) -> String? {
    if let match = text.wholeMatch(of: /(\d{1,2}):([0-5]\d)(?: ?h)?/), let hours = Int(match.output.1),
      let minutes = Int(match.output.2)
    {
      let parts = [(hours, "h"), (minutes, "m")].filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
      return parts.isEmpty ? nil : parts.joined()
    }
    let dotted = text.replacing(",", with: ".", maxReplacements: 1)
    return dotted != text && minutes(dotted) != nil ? dotted : nil
  }

  /// Returns a span in whole minutes, the unit of a plain number; `nil` for anything else.
  public static func minutes(_ text: String) -> Int? {
    guard let span = milliseconds(text, plain: 60_000), span % 60_000 == 0 else { return nil }
    return Int(exactly: span / 60_000)
  }
}
