import ArgumentParser

/// A format of the figures.
enum BenchFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
}
