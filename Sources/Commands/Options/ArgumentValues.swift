import ArgumentParser
import LatchkeyModel
import LatchkeyNode

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

/// What is done to an application whose time is over.
enum WhenOver: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// It is closed.
  case close
  /// It is frozen until it may be used again.
  case pause
}

/// Whether what an application starts counts as it.
enum LaunchesArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
  case counted
  case apart
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
extension DeviceRole: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}

extension PointsText {
  /// Reads points a minute.
  ///
  /// - Throws: `ValidationError` for anything else.
  @Sendable static func readRate(_ text: String) throws -> Int64 {
    guard let points = milliPoints(text) else {
      throw ValidationError(
        "Points a minute are a number from 0 to 1,000,000 with at most three decimal places, such as 2 or 0.5.")
    }
    return points
  }
}
