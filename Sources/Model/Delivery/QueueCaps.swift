/// What may wait for one peer in one class. Spec: Protocol/05-delivery.md §9.
public struct QueueCaps: Hashable, Sendable {
  public var items: Int64
  /// Bodies, IDs and 16 bytes an item.
  public var bytes: Int64

  public init(items: Int64 = Limits.queueItems, bytes: Int64 = Limits.queueBytes) {
    self.items = items
    self.bytes = bytes
  }
}
