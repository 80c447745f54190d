import Glibc

/// The location of a node's local API.
public enum ControlSocket {
  public static let name = "control.sock"
  /// The name of the socket for the bridges of receivers, in the same folder.
  package static let bridgeName = "bridge.sock"
  /// The name of the socket for browsers that a parent has let in, in the same folder.
  package static let webName = "web.sock"

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
  static let socketFolder = "/run/latchkey"

  package static var isThere: Bool { access(socketFolder + "/" + ControlSocket.name, F_OK) == 0 }
}

/// A path for bind(2) and connect(2) that fits a Unix socket address, regardless of the length of
/// the socket's path.
///
/// A Unix socket address holds 107 bytes of path. For a longer one, the folder is opened and
/// addressed by its descriptor through /proc. The value must therefore live until the socket is
/// bound or connected; it closes the descriptor.
package final class SocketAddressPath: Sendable {
  package let text: String
  private let folderDescriptor: Int32?

  /// The largest number of bytes of a path that is used unchanged.
  static let directBytes = 100

  /// Creates a short path for `name` in `folder`; throws `SocketPathError`, the caller's fault, if
  /// the folder cannot be opened.
  package init(folder: String, name: String) throws(SocketPathError) {
    let direct = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    guard direct.utf8.count > Self.directBytes else {
      text = direct
      folderDescriptor = nil
      return
    }
    // O_PATH, which the C library's module does not export: a descriptor that only addresses the
    // folder.
    let descriptor = open(folder, 0x20_0000 | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SocketPathError(errorNumber: errno) }
    folderDescriptor = descriptor
    text = "/proc/self/fd/\(descriptor)/\(name)"
  }

  deinit {
    if let folderDescriptor { close(folderDescriptor) }
  }
}

/// The reason why the folder of a socket could not be opened, as an `errno`.
package struct SocketPathError: Error, Hashable, Sendable {
  package var errorNumber: Int32
}
