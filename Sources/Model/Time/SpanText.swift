/// Durations in words.
public enum SpanText {
  /// Returns a duration, rounded down, such as `40 s`, `5 min`, `1 h 59 min` or `2 days`.
  public static func of(_ milliseconds: Int64) -> String { phrase(of: milliseconds).worded() }

  /// Returns a time that is left, in whole minutes rounded down, such as `less than 1 min` or `1 h
  /// 30 min`.
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

  /// Returns a number of minutes as a phrase.
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
