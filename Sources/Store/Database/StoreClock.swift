import LatchkeyModel

/// The clock by which a store counts how long things have waited.
public struct StoreClock: Sendable {
  public let bootID: String
  public let now: @Sendable () -> BootInstant

  public init(bootID: String, now: @escaping @Sendable () -> BootInstant) {
    self.bootID = bootID
    self.now = now
  }

  /// One that stands still, for whoever opens a store only to look into it.
  public static let stopped = StoreClock(bootID: "", now: { BootInstant(milliseconds: 0) })
}
