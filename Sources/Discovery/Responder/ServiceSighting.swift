import LatchkeySystem

/// The appearance or disappearance of an instance on one interface and protocol.
struct ServiceSighting: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String

  var interface: UInt32

  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32

  /// A Boolean value that indicates whether it appeared; otherwise it disappeared.
  var appeared: Bool
}

/// The host and the port of an instance, with its TXT entries.
struct ResolvedService: Hashable, Sendable {
  /// The full name of its host.
  var host: String

  var port: UInt16

  /// The TXT entries within the limits, any bytes.
  var text: [[UInt8]]

  /// An IPv4 address of the host, if one was asked for.
  var address: IPAddress?
}

/// The appearance or disappearance of a record.
struct SeenRecord: Hashable, Sendable {
  /// The record's data as it is on the wire; for addresses, 4 or 16 bytes.
  var data: [UInt8]

  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32

  /// A Boolean value that indicates whether it appeared; otherwise it disappeared.
  var appeared: Bool
}
