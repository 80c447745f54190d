/// How far an outgoing stream is, as the store holds it.
public struct OutboxPosition: Hashable, Sendable {
  /// Random, never 0.
  public var epoch: UInt64
  /// The last number that the peer reported stored.
  public var storedThrough: UInt64
  /// The last number made durable here.
  public var last: UInt64

  public init(epoch: UInt64, storedThrough: UInt64, last: UInt64) {
    self.epoch = epoch
    self.storedThrough = storedThrough
    self.last = last
  }
}
