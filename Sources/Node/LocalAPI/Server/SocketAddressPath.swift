import Glibc

/// A path for bind(2) and connect(2) that fits a Unix socket address, regardless of the length of
/// the socket's path.
///
/// A Unix socket address holds 107 bytes of path. For a longer one, the folder is opened and
/// addressed by its descriptor through /proc. The value must therefore live until the socket is
/// bound or connected; it closes the descriptor.
package final class SocketAddressPath: Sendable {
  /// The path to pass to bind(2) or connect(2).
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
