import LatchkeySystem

/// Everything known about an announced instance, merged over the interfaces and protocols on which
/// it was seen.
///
/// Nothing in it is proven: only the handshake shows which device answers there.
public struct DiscoveredService: Sendable, Hashable {
  /// The instance name: 1 to 63 bytes of UTF-8.
  public var instanceName: String

  public var port: UInt16

  /// At least 1 and at most 16 addresses: IPv4 first, then wider IPv6, then link-local IPv6.
  public var addresses: [DiscoveredAddress]

  /// The TXT pairs, keys in lower case: at most 16 pairs and 1300 bytes.
  public var text: [String: [UInt8]]
}

/// An address at which a discovered service may answer.
public struct DiscoveredAddress: Sendable, Hashable {
  public var address: IPAddress

  /// The interface on which a link-local IPv6 address is valid; `nil` for every other address.
  public var interfaceIndex: UInt32?

  /// The name of the interface on which the address was seen, while it has one.
  public var interfaceName: String?

  /// The address as text for a socket, with its scope if it needs one, such as `192.168.1.5` or
  /// `fe80::1%2`.
  public var host: String { "\(address)" + (interfaceIndex.map { "%\($0)" } ?? "") }
}
