/// One try at a TCP connection to a peer's address.
public struct AddressProbe: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case connected
    /// The machine answers and nobody listens there.
    case refused
    /// No answer at all.
    case silent
    /// There is no way there; as the system says it.
    case noWay(String)
  }

  /// `host:port`.
  public var address: String
  public var outcome: Outcome
  /// The interface that packets to it leave by; nil for none.
  public var interface: String?

  public init(address: String, outcome: Outcome, interface: String? = nil) {
    self.address = address
    self.outcome = outcome
    self.interface = interface
  }

  /// The address without its port; nil for a host's name.
  var host: Subnet? {
    let host = address.prefix(upTo: address.lastIndex(of: ":") ?? address.endIndex)
    return Subnet(String(host.drop { $0 == "[" }.prefix { $0 != "]" }))
  }
}
