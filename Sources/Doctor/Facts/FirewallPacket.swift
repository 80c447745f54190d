/// A packet that matters to us: the first of a connection, or a multicast one.
struct FirewallPacket: Sendable, Hashable {
  /// `tcp` or `udp`.
  var transport: String
  var port: UInt16
  /// The interface that it comes in or leaves by.
  var interface: String
  var isV6 = false
}
