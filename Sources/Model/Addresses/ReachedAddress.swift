/// An address at which a device was authenticated.
public struct ReachedAddress: Hashable, Sendable {
  /// The address as `host:port`.
  public var address: String
  /// How the address was learned.
  public var source: AddressSource
  /// The mark of the network on which it was reached; `nil` if this machine could not determine it.
  public var network: String?

  /// Creates a record of an address.
  public init(_ address: String, source: AddressSource, network: String?) {
    self.address = address
    self.source = source
    self.network = network
  }
}
