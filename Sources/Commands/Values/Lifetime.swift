import ArgumentParser
import LatchkeyModel

/// How long a command may wait before it expires: `90s`, `15min`, `2h`, `7d`, or `never`.
struct Lifetime: ExpressibleByArgument, Hashable, Sendable {
  /// 0 for ever.
  let milliseconds: Int64

  /// Read it, and say what is allowed when it is something else.
  @Sendable static func read(_ text: String) throws -> Lifetime {
    guard let lifetime = Lifetime(argument: text) else {
      throw ValidationError("A command may wait from 1s to 366d, such as 90s, 15min, 2h or 7d, or never.")
    }
    return lifetime
  }

  init?(argument: String) {
    let text = argument.lowercased()
    if text == "never" {
      milliseconds = 0
      return
    }
    let digits = text.prefix { $0.isNumber }
    let units: [String: Int64] = ["s": 1_000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let number = Int64(digits), let unit = units[String(text.dropFirst(digits.count))] else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow, (1_000...Limits.longestLifetimeMilliseconds).contains(product) else { return nil }
    milliseconds = product
  }

  static let allValueStrings = ["90s", "15min", "2h", "7d", "never"]
}
