/// Reads spans of time as people write them: `90s`, `15min`, `1h`, `1h30m`, `1 h 30 min`, `7d`.
public enum SpanReader {
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
  public static func milliseconds(_ text: String, plain: Int64? = nil) -> Int64? {
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

  /// Returns a span in whole minutes, where a number without a unit counts minutes; `nil` for
  /// anything else.
  public static func minutes(_ text: String) -> Int? {
    guard let span = milliseconds(text, plain: 60_000), span % 60_000 == 0 else { return nil }
    return Int(exactly: span / 60_000)
  }
}
