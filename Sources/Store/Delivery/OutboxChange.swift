import LatchkeyModel

/// A stream with new, durable items, which a peer's link is told of after a commit.
public struct OutboxChange: Hashable, Sendable {
  /// The peer.
  public var device: DeviceID
  /// The class of the stream.
  public var streamClass: StreamClass
  /// The epoch of the stream.
  public var epoch: UInt64
  /// The last number that was assigned.
  public var last: UInt64
}
