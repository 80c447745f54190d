import Glibc
import Synchronization

/// A file that holds room on the database's disk and is emptied when the disk is full, so that a node can write its log
/// back, start, and go on with delivering what it has.
///
/// Spec: Protocol/05-delivery.md §6.
final class ReserveFile: Sendable {
  private let path: String
  /// Bytes that it holds when it is whole.
  let size: Int64
  private let state: Mutex<State>

  private struct State {
    /// The open file; `nil` if it could not be made yet.
    var descriptor: Int32?
    var isWhole = false
    /// Bytes that come back when it is emptied.
    var held: Int64 = 0
  }

  /// Opens the file at `path` if it is there; `take` makes it.
  init(path: String, size: Int64) {
    self.path = path
    self.size = size
    var state = State(descriptor: Self.openFile(path, creating: false))
    if let descriptor = state.descriptor {
      let held = Self.holds(descriptor)
      if (size / 2...size).contains(held) { (state.isWhole, state.held) = (true, held) }
    }
    self.state = Mutex(state)
  }

  deinit { state.withLock { if let descriptor = $0.descriptor { close(descriptor) } } }

  /// A Boolean value that indicates whether the file holds the room that it is for, or at least half of it.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  /// Bytes of room that come back when the file is emptied.
  var held: Int64 { state.withLock { $0.held } }

  /// Takes the room; makes the file if it is not there.
  ///
  /// A file system that cannot set room aside has no reserve, and is not full for that.
  ///
  /// - Returns: whether the file is whole. If it is not, it is left empty.
  func take() -> Bool {
    state.withLock { state in
      if state.isWhole { return true }
      guard let descriptor = state.descriptor ?? Self.openFile(path, creating: true) else { return false }
      state.descriptor = descriptor
      var code = ENOSPC
      // A little may be missing that notes of deliveries have used; what holds half still does what it is for.
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

  /// Empties the file.
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

  /// Bytes that the file holds on the disk; -1 if its end lies beyond them.
  private static func holds(_ descriptor: Int32) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_blocks) * 512 >= Int64(status.st_size) else { return -1 }
    return Int64(status.st_size)
  }
}
