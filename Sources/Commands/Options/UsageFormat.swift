import ArgumentParser

/// How use is written.
enum UsageFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case table
  case json
  case csv
}
