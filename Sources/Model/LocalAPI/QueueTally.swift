/// How many items left a queue without being delivered, since the device was first paired.
public struct QueueTally: Hashable, Sendable, Codable {
  public var fate: DeliveryFate
  public var items: Int64
  /// Unix milliseconds by this machine's wall clock.
  public var lastAt: Int64

  public init(fate: DeliveryFate, items: Int64, lastAt: Int64) {
    self.fate = fate
    self.items = items
    self.lastAt = lastAt
  }
}
