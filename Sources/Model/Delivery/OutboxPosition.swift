/// The progress of an outgoing stream in the store.
public struct OutboxPosition: Hashable, Sendable {
  /// A random number other than 0.
  public var epoch: UInt64
  /// The last number that the peer reported as stored.
  public var storedThrough: UInt64
  /// The last number that is durable here.
  public var last: UInt64

  /// Creates a position.
  public init(epoch: UInt64, storedThrough: UInt64, last: UInt64) {
    self.epoch = epoch
    self.storedThrough = storedThrough
    self.last = last
  }
}
