import ArgumentParser
import LatchkeyModel

/// The longest that a subcommand waits: `60`, `90s`, `5min`; 1 second to 1 day.
struct WaitingTime: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
  let seconds: Int

  static let usual = WaitingTime(seconds: 60)

  init(seconds: Int) { self.seconds = seconds }

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
