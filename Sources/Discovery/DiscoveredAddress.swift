/// Names one address at which a discovered service may answer.
public struct DiscoveredAddress: Sendable, Hashable {
  /// Tells the two address families apart.
  public enum Family: Sendable, Hashable {
    case v4
    case v6
  }

  /// The family of `address`.
  public var family: Family

  /// The address as text without a scope, such as `192.168.1.5` or `fe80::1`.
  public var address: String

  /// The interface on which a link-local IPv6 address is valid; nil for every other address.
  public var interfaceIndex: UInt32?

  /// The name of the interface on which the address was seen, while it has one.
  public var interfaceName: String?

  /// Describe an address.
  ///
  /// - Parameters:
  ///   - family: the family of `address`.
  ///   - address: text without a scope.
  ///   - interfaceIndex: the scope of a link-local IPv6 address.
  ///   - interfaceName: the interface on which it was seen.
  public init(family: Family, address: String, interfaceIndex: UInt32? = nil, interfaceName: String? = nil) {
    self.family = family
    self.address = address
    self.interfaceIndex = interfaceIndex
    self.interfaceName = interfaceName
  }
}
