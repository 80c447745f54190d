/// Holds where an instance leads.
struct ResolvedService: Hashable, Sendable {
  /// The full name of its host.
  var host: String

  /// The TCP port.
  var port: UInt16

  /// The TXT entries within the limits, any bytes.
  var text: [[UInt8]]

  /// An IPv4 address of the host, if one was asked for.
  var address: AddressBytes?
}
