import LatchkeyModel

/// The clock by which a store measures how long items have waited.
public struct StoreClock: Sendable {
  public let bootID: String
  public let now: @Sendable () -> BootInstant

  public init(bootID: String, now: @escaping @Sendable () -> BootInstant) {
    self.bootID = bootID
    self.now = now
  }

  /// A stopped clock, for opening a store only to read it.
  public static let stopped = StoreClock(bootID: "", now: { BootInstant(milliseconds: 0) })
}
