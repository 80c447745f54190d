import LatchkeyModel

/// The last try at an address that failed.
struct FailedTry: Sendable {
  /// Unix milliseconds; for people only.
  var at: Int64
  var reason: String
  /// When it was last written down, by the clock for decisions; nil when it was not.
  var notedAt: BootInstant?
}
