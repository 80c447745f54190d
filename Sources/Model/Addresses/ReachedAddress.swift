/// An address at which a device was authenticated.
public struct ReachedAddress: Hashable, Sendable {
  /// The address as `host:port`.
  public var address: String
  public var source: AddressSource
  /// The mark of the network on which it was reached; `nil` if this machine could not determine it.
  public var network: String?

  public init(_ address: String, source: AddressSource, network: String?) {
    self.address = address
    self.source = source
    self.network = network
  }
}
