/// Tells that an instance appeared or disappeared on one interface and protocol.
struct ServiceSighting: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String

  /// The interface.
  var interface: UInt32

  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32

  /// Whether it appeared; otherwise it disappeared.
  var appeared: Bool
}
