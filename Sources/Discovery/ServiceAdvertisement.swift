/// The announcement of this node: one instance of the service, its port and its TXT pairs.
///
/// Spec: Protocol/02-discovery.md §2.
public struct ServiceAdvertisement: Sendable, Hashable {
  /// The instance name, 1 to 63 bytes of UTF-8: 8 random characters, which the caller renews at
  /// every start, hour and network change.
  public var instanceName: String

  /// The TCP port of the listener.
  public var port: UInt16

  /// The TXT pairs, at most 16 pairs and 1,300 bytes in all; values are raw bytes.
  ///
  /// A pair takes at most 255 bytes with its key and the `=` between them.
  public var text: [String: [UInt8]]

  public init(instanceName: String, port: UInt16, text: [String: [UInt8]]) {
    self.instanceName = instanceName
    self.port = port
    self.text = text
  }
}
