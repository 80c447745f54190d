/// How an address of a paired device was learned.
///
/// Spec: Protocol/07-local-api.md §4.
public enum AddressSource: String, Codable, Sendable, Hashable, CaseIterable {
  /// The pairing code contained it.
  case code
  /// A session was open there, and nothing else is known about it.
  case connection
  /// The device announced it over mDNS.
  case mdns
  /// A person entered it with `--peer`.
  case given
  /// The device stated it in a session.
  case told
}
