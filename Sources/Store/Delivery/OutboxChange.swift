import LatchkeyModel

/// A stream with new, durable items, which a peer's link is told of after a commit.
public struct OutboxChange: Hashable, Sendable {
  public var device: DeviceID
  public var streamClass: StreamClass
  public var epoch: UInt64
  /// The last number that was assigned.
  public var last: UInt64
}
