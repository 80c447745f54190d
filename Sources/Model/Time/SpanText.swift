/// Durations in words.
public enum SpanText {
  /// Returns a duration, rounded down, such as `40 s`, `5 min`, `1 h 59 min` or `2 days`.
  public static func of(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1_000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min"
    case ..<86_400: return minutes(Int(seconds / 60))
    default: return seconds / 86_400 == 1 ? "1 day" : "\(seconds / 86_400) days"
    }
  }

  /// Returns a time that is left, in whole minutes rounded down, such as `less than 1 min` or `1 h
  /// 30 min`.
  public static func left(_ milliseconds: Int64) -> String {
    milliseconds < 60_000 ? "less than 1 min" : minutes(Int(clamping: milliseconds / 60_000))
  }

  /// Returns a number of minutes, such as `45 min` or `1 h 30 min`.
  public static func minutes(_ minutes: Int) -> String {
    let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
    if hours == 0 { return "\(rest) min" }
    return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
  }
}
