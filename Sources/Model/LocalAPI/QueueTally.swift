/// The number of items that left a queue undelivered with one fate, since the device was first
/// paired.
public struct QueueTally: Hashable, Sendable, Codable {
  public var fate: DeliveryFate
  public var items: Int64
  /// The time of the last such item in Unix milliseconds by this machine's wall clock.
  public var lastAt: Int64

  public init(fate: DeliveryFate, items: Int64, lastAt: Int64) {
    self.fate = fate
    self.items = items
    self.lastAt = lastAt
  }
}
