import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// An argument that is one of a few words.
///
/// It tells the parser these words in the plain way. The parser's own way, for any kind of value,
/// makes each start of a command slower, since the parser asks for them before it reads arguments.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension WordArgument {
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  public static var allValueDescriptions: [String: String] { [:] }
  public var defaultValueDescription: String { rawValue }
}

enum ListingFormat: String, WordArgument, Sendable {
  case table
  case json
}

enum UsageFormat: String, WordArgument, Sendable {
  case table
  case json
  case csv
}

enum AnswerFormat: String, WordArgument, Sendable {
  case text
  case json
}

/// A terminal's background.
enum BackgroundArgument: String, WordArgument, Sendable {
  case light
  case dark
}

// These are the words of the household, and the command line takes them as they are.
extension AppCategory: ExpressibleByArgument {
  /// Creates a category from its word, of which people also write the plural of rewards.
  public init?(argument: String) {
    let word = argument.lowercased()
    self.init(rawValue: word == "rewards" ? "reward" : word)
  }
}
extension ClosingStep: WordArgument {}
extension DeviceRole: WordArgument {}
extension Launches: WordArgument {}
extension LogFormat: WordArgument {}

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

  @Sendable static func read(_ text: String) throws -> Lifetime {
    if text.lowercased() == "never" { return Lifetime(milliseconds: 0) }
    guard let span = SpanReader.milliseconds(text), (1_000...Limits.longestLifetimeMilliseconds).contains(span) else {
      throw ValidationError("A command may wait from 1s to 366d, such as 90s, 15min, 2h or 7d, or never.")
    }
    return Lifetime(milliseconds: span)
  }
}

/// Names of network interfaces as one argument, separated by commas.
struct InterfaceNames: Hashable, Sendable, ExpressibleByArgument {
  let names: [String]

  /// The lengths that the kernel accepts.
  private static let nameBytes = 1...15

  init?(argument: String) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isRight = names.allSatisfy {
      Self.nameBytes.contains($0.utf8.count) && !$0.contains("/") && !$0.contains(where: \.isWhitespace)
    }
    guard isRight else { return nil }
  }
}
