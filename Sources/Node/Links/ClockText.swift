import Foundation

/// Moments in words of a sentence.
enum ClockText {
  /// Returns a moment of Unix milliseconds on this machine's clock, such as `18:02 on 2026-11-22`.
  static func of(_ milliseconds: Int64) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    let text = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(style)
    return "\(text.dropFirst(11).prefix(5)) on \(text.prefix(10))"
  }
}
