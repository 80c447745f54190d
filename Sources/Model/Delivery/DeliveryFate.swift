/// Why an item left a queue without being delivered. Spec: Protocol/05-delivery.md §9.
public enum DeliveryFate: String, Codable, Sendable, Hashable, CaseIterable {
  /// A newer command for the same thing took its place.
  case superseded
  /// It was of no use any more.
  case expired
  /// A person took it back.
  case cancelled
  /// It went into a total, which is delivered.
  case merged
  /// There was no room for it: it is lost to the receiver.
  case dropped
  /// The receiver did not take it, and said so.
  case refused
}
