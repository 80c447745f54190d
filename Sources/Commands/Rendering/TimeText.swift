import Foundation

/// Moments as text.
enum TimeText {
  /// ISO 8601 with milliseconds and the offset of `zone`, such as `2026-11-21T14:03:05.123+01:00`.
  static func exact(_ milliseconds: Int64, zone: TimeZone) -> String {
    // Whole seconds and milliseconds apart: a Double of the sum may print the millisecond before.
    let (seconds, rest) = split(milliseconds)
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style(zone))
    let fraction = "." + String(repeating: "0", count: 3 - String(rest).count) + String(rest)
    let cut = text.index(text.startIndex, offsetBy: min(19, text.count))
    return text[..<cut] + fraction + text[cut...]
  }

  /// Day and time to the minute, such as `2026-11-21 14:03`.
  static func short(_ milliseconds: Int64, zone: TimeZone) -> String {
    let text = Date(timeIntervalSince1970: Double(split(milliseconds).seconds)).formatted(style(zone))
    return String(text.prefix(16).replacing("T", with: " "))
  }

  /// The zone named `name` of the IANA list; GMT when there is none.
  static func zone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }

  private static func style(_ zone: TimeZone) -> Date.ISO8601FormatStyle {
    Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone)
  }

  private static func split(_ milliseconds: Int64) -> (seconds: Int64, rest: Int64) {
    let rest = (milliseconds % 1_000 + 1_000) % 1_000
    return ((milliseconds - rest) / 1_000, rest)
  }
}
