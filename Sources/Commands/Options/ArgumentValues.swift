import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// How a listing is written.
enum ListingFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case table
  case json
}

/// How use is written.
enum UsageFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case table
  case json
  case csv
}

/// How the answer to a command is written.
enum AnswerFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text
  case json
}

/// A terminal's background.
enum BackgroundArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
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
extension ClosingStep: ExpressibleByArgument {}
extension DeviceRole: ExpressibleByArgument {}
extension Launches: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
