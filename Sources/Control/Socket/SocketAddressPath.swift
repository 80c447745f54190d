import Glibc

/// A path for bind(2) and connect(2) that fits a Unix socket address, however long the socket's real path is.
///
/// A Unix socket address holds 107 bytes of path. For a longer one the folder is opened and named by its descriptor
/// through /proc, so keep the value until the socket is bound or connected; the descriptor is closed with it.
final class SocketAddressPath: Sendable {
  /// What to give to bind(2) or connect(2).
  let text: String
  private let folderDescriptor: Int32?

  /// Bytes of path that are used as they are.
  static let directBytes = 100

  /// Find a short path for `name` in `folder`.
  ///
  /// - Throws: `SocketPathError` when the folder cannot be opened; the caller's fault.
  init(folder: String, name: String) throws(SocketPathError) {
    let direct = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    guard direct.utf8.count > Self.directBytes else {
      text = direct
      folderDescriptor = nil
      return
    }
    // O_PATH, which the C library's module does not show: a descriptor that only names the folder.
    let descriptor = open(folder, 0x20_0000 | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SocketPathError(errorNumber: errno) }
    folderDescriptor = descriptor
    text = "/proc/self/fd/\(descriptor)/\(name)"
  }

  deinit {
    if let folderDescriptor { close(folderDescriptor) }
  }
}
