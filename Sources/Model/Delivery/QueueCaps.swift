/// The limits on items that wait for one peer in one class.
///
/// Spec: Protocol/05-delivery.md §9.
public struct QueueCaps: Hashable, Sendable {
  public var items: Int64
  /// The largest size of bodies and IDs, and 16 bytes for each item.
  public var bytes: Int64

  public init(items: Int64 = Limits.queueItems, bytes: Int64 = Limits.queueBytes) {
    self.items = items
    self.bytes = bytes
  }
}

/// The reason why an item left a queue without being delivered.
///
/// Spec: Protocol/05-delivery.md §9.
public enum DeliveryFate: String, Codable, Sendable, Hashable, CaseIterable {
  /// Its life time ended.
  case expired
  case cancelled
  /// It was merged into a total, which is delivered.
  case merged
  /// There was no space for it, so the receiver never gets it.
  case dropped
  /// The receiver refused it and reported so.
  case refused
}
