import LatchkeyModel

/// A stream that has new items, durably: what a peer's link is told after a commit.
public struct OutboxChange: Hashable, Sendable {
  public var device: DeviceID
  public var streamClass: StreamClass
  public var epoch: UInt64
  /// The last number given out.
  public var last: UInt64
}
