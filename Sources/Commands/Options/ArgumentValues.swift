import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// An argument that is one of a few words.
///
/// It tells the parser these words in the plain way. The parser's own, for any kind of value, makes
/// each start of a command slower, since it tells them of each option before it reads the
/// arguments.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension WordArgument {
  /// The words that it may be.
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  /// Nothing, since the words need no explanation.
  public static var allValueDescriptions: [String: String] { [:] }
  /// The word itself.
  public var defaultValueDescription: String { rawValue }
}

/// How a listing is written.
enum ListingFormat: String, WordArgument, Sendable {
  case table
  case json
}

/// How use is written.
enum UsageFormat: String, WordArgument, Sendable {
  case table
  case json
  case csv
}

/// How the answer to a command is written.
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
