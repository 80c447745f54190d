/// How an address of a paired device was learnt. Spec: Protocol/07-local-api.md §4.
public enum AddressSource: String, Codable, Sendable, Hashable, CaseIterable {
  /// It was in the pairing code.
  case code
  /// A session was open there, and nothing else is known of it.
  case connection
  /// The device announced it over mDNS.
  case mdns
  /// A person gave it with `--peer`.
  case given
  /// The device told it in a session.
  case told
}
