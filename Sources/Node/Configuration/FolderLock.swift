import Glibc

/// The lock that prevents a second node from using a state folder.
///
/// The kernel releases it however the process ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// The exit status if another process holds the lock.
  static let held: Int32 = 75

  /// Locks a folder.
  ///
  /// Throws `NodeStartupError` if another process holds the lock.
  init(_ folder: StateFolder) throws(NodeStartupError) {
    descriptor = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw NodeStartupError(
        "The lock \(folder.lock) cannot be created (\(String(cString: strerror(errno)))): check the folder's rights and its disk.",
        exitStatus: errno == ENOSPC ? 74 : 77)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      var text = [UInt8](repeating: 0, count: 32)
      let count = read(descriptor, &text, 32)
      let holder = String(decoding: text.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
      close(descriptor)
      throw NodeStartupError(
        "Another node (process \(holder.isEmpty ? "unknown" : holder)) runs on \(folder.path): stop it first, or choose another "
          + "folder with --state-dir.", exitStatus: Self.held)
    }
    // Written before it is truncated, so that a file that has space keeps it on a full disk.
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(descriptor, text, text.count, 0)
    ftruncate(descriptor, text.count)
  }

  deinit { close(descriptor) }
}
