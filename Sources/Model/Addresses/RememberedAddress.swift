/// A stored address at which a device was authenticated, with its later results.
public struct RememberedAddress: Hashable, Sendable {
  /// The address with its source and network.
  public var reached: ReachedAddress
  /// The time of the last success in Unix milliseconds.
  public var lastSuccessAt: Int64
  /// The time of the last failure on that network in Unix milliseconds; `nil` if there was none.
  public var lastFailureAt: Int64?
  /// The reason of the last failure, in one sentence.
  public var failure: String?

  public init(reached: ReachedAddress, lastSuccessAt: Int64, lastFailureAt: Int64? = nil, failure: String? = nil) {
    self.reached = reached
    self.lastSuccessAt = lastSuccessAt
    self.lastFailureAt = lastFailureAt
    self.failure = failure
  }
}

/// An address at which a device was authenticated.
public struct ReachedAddress: Hashable, Sendable {
  /// The address as `host:port`.
  public var address: String
  /// How the address was learned.
  public var source: AddressSource
  /// The mark of the network on which it was reached; `nil` if this machine could not determine it.
  public var network: String?

  public init(_ address: String, source: AddressSource, network: String?) {
    self.address = address
    self.source = source
    self.network = network
  }
}

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
