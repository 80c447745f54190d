import Glibc
import Synchronization

/// A file that reserves space on the database's disk.
///
/// It is truncated when the disk is full. So a node can write its log back, start, and continue to
/// deliver (Protocol/05-delivery.md §6).
final class ReserveFile: Sendable {
  private let path: String
  /// The size in bytes when it is complete.
  let size: Int64
  private let state: Mutex<State>

  private struct State {
    /// The open file; `nil` if it could not be created yet.
    var descriptor: Int32?
    var isWhole = false
    /// The number of bytes that truncating the file frees.
    var held: Int64 = 0
  }

  /// Opens the file at `path` if it exists; `take` creates it.
  init(path: String, size: Int64) {
    (self.path, self.size) = (path, size)
    var state = State(descriptor: Self.openFile(path, creating: false))
    if let descriptor = state.descriptor {
      let held = Self.holds(descriptor)
      if (size / 2...size).contains(held) { (state.isWhole, state.held) = (true, held) }
    }
    self.state = Mutex(state)
  }

  deinit { state.withLock { if let descriptor = $0.descriptor { close(descriptor) } } }

  /// A Boolean value that indicates whether the file has at least half of its size.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  /// The number of bytes that truncating the file frees.
  var held: Int64 { state.withLock { $0.held } }

  /// Allocates the space, and creates the file if needed.
  ///
  /// Returns whether the file is complete; otherwise, it is left empty. A file system that cannot
  /// reserve space has no reserve, and does not count as full for that reason.
  func take() -> Bool {
    state.withLock { state in
      if state.isWhole { return true }
      guard let descriptor = state.descriptor ?? Self.openFile(path, creating: true) else { return false }
      state.descriptor = descriptor
      var code = ENOSPC
      // Records of deliveries may have used a part. Half of the size is still sufficient.
      for part in [size, size / 4 * 3, size / 2] where code == ENOSPC || code == EDQUOT {
        repeat { code = posix_fallocate(descriptor, 0, Int(part)) } while code == EINTR
        if code == 0, ftruncate(descriptor, Int(part)) == 0 {
          (state.isWhole, state.held) = (true, part)
          return true
        }
        _ = ftruncate(descriptor, 0)
      }
      state.isWhole = [EOPNOTSUPP, EINVAL, ENODEV, ENOSYS].contains(code)
      return state.isWhole
    }
  }

  func giveUp() {
    state.withLock { state in
      guard let descriptor = state.descriptor else { return }
      _ = ftruncate(descriptor, 0)
      (state.isWhole, state.held) = (false, 0)
    }
  }

  private static func openFile(_ path: String, creating: Bool) -> Int32? {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Returns the number of bytes that the file occupies on disk; -1 if it has holes.
  private static func holds(_ descriptor: Int32) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_blocks) * 512 >= Int64(status.st_size) else { return -1 }
    return Int64(status.st_size)
  }
}
