import ArgumentParser

/// How figures are written.
enum BenchFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
}
