/// The reason why an item left a queue without being delivered.
///
/// Spec: Protocol/05-delivery.md §9.
public enum DeliveryFate: String, Codable, Sendable, Hashable, CaseIterable {
  /// A newer command for the same thing replaced it.
  case superseded
  /// Its life time ended.
  case expired
  /// A person cancelled it.
  case cancelled
  /// It was merged into a total, which is delivered.
  case merged
  /// There was no space for it, so the receiver never gets it.
  case dropped
  /// The receiver refused it and reported so.
  case refused
}
