import LatchkeyModel

/// A clock that stands still until it is told.
public struct ManualClock: Sendable {
  /// What it shows.
  public private(set) var now: BootInstant

  /// Begin at a moment; machines that were on for a day are the rule, so it is not zero.
  public init(milliseconds: Int64 = 90_000_000) {
    now = BootInstant(milliseconds: milliseconds)
  }

  /// Let milliseconds pass and give the moment that is then.
  @discardableResult
  public mutating func advance(_ milliseconds: Int64) -> BootInstant {
    now = now + milliseconds
    return now
  }
}
