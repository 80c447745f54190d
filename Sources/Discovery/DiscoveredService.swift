/// Holds what is known of one announced instance, merged over every interface and protocol on which it was seen.
///
/// Everything in it comes from the network unproven; only the handshake tells who answers there.
public struct DiscoveredService: Sendable, Hashable {
  /// The instance name: 1 to 63 bytes of UTF-8.
  public var instanceName: String

  /// The TCP port it names.
  public var port: UInt16

  /// At least 1 and at most 16 addresses: IPv4 first, then wider IPv6, then link-local IPv6.
  public var addresses: [DiscoveredAddress]

  /// The TXT pairs, keys in lower case: at most 16 pairs and 1300 bytes.
  public var text: [String: [UInt8]]

  /// Describe a service.
  ///
  /// - Parameters:
  ///   - instanceName: the announced name.
  ///   - port: the TCP port it names.
  ///   - addresses: where it may answer.
  ///   - text: its TXT pairs.
  public init(instanceName: String, port: UInt16, addresses: [DiscoveredAddress], text: [String: [UInt8]]) {
    self.instanceName = instanceName
    self.port = port
    self.addresses = addresses
    self.text = text
  }
}
