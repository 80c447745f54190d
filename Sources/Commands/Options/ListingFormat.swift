import ArgumentParser

/// How a listing is written.
enum ListingFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case table
  case json
}
