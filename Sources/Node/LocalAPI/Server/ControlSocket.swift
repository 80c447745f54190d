import Glibc

/// The location of a node's local API.
public enum ControlSocket {
  /// The socket's name in its folder.
  public static let name = "control.sock"

  /// Returns the folder of a node's socket: the state folder, except for the system's node.
  package static func folder(ofNodeIn stateFolder: String) -> String {
    stateFolder == SystemNode.stateFolder ? SystemNode.socketFolder : stateFolder
  }
}

/// The node of the whole machine, which a system service runs and which every account may connect
/// to.
///
/// Spec: Protocol/07-local-api.md §1.
public enum SystemNode {
  /// The path of its state folder, which makes a node the system's.
  public static let stateFolder = "/var/lib/latchkey"
  /// The path of the folder of its socket.
  static let socketFolder = "/run/latchkey"

  package static var isThere: Bool { access(socketFolder + "/" + ControlSocket.name, F_OK) == 0 }
}

/// The process at the other end of a Unix socket, as the kernel recorded it at connect(2).
///
/// The layout is that of the kernel's `struct ucred`: three words of 32 bits in this order.
struct PeerCredentials: Hashable, Sendable {
  var processID: Int32
  var userID: UInt32
  var groupID: UInt32
}
