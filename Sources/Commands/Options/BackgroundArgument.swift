import ArgumentParser

/// A terminal's background as an argument.
enum BackgroundArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
  case light
  case dark
}
