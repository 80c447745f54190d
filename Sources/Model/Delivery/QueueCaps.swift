/// The limits on items that wait for one peer in one class.
///
/// Spec: Protocol/05-delivery.md §9.
public struct QueueCaps: Hashable, Sendable {
  /// The largest number of items.
  public var items: Int64
  /// The largest size of bodies and IDs, and 16 bytes for each item.
  public var bytes: Int64

  /// Creates limits.
  public init(items: Int64 = Limits.queueItems, bytes: Int64 = Limits.queueBytes) {
    self.items = items
    self.bytes = bytes
  }
}
