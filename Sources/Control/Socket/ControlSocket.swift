/// The location of a node's local API.
public enum ControlSocket {
  /// The socket's name in the state folder.
  public static let name = "control.sock"
}

/// The process at the other end of a Unix socket, as the kernel recorded it at connect(2).
///
/// The layout is that of the kernel's `struct ucred`: three words of 32 bits in this order.
struct PeerCredentials: Hashable, Sendable {
  var processID: Int32
  var userID: UInt32
  var groupID: UInt32
}
