/// An address at which a device has proved its key.
public struct ReachedAddress: Hashable, Sendable {
  /// `host:port`.
  public var address: String
  public var source: AddressSource
  /// The mark of the network that it was reached on; nil when this machine could not tell which that was.
  public var network: String?

  public init(_ address: String, source: AddressSource, network: String?) {
    self.address = address
    self.source = source
    self.network = network
  }
}
