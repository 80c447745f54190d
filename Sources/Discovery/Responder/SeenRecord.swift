/// Tells that a record appeared or disappeared.
struct SeenRecord: Hashable, Sendable {
  /// The record's data as it is on the wire; for addresses, 4 or 16 bytes.
  var data: [UInt8]

  /// Avahi's number of the IP version that carried the packet.
  var packetProtocol: Int32

  /// Whether it appeared; otherwise it disappeared.
  var appeared: Bool
}
