import Glibc

/// A note beside the database that it was closed in good order, with the state of its file then.
///
/// While the file is unchanged, a start need not read all of it: SQLite has written its log back. A
/// node that was killed or that found damage leaves no note.
struct CloseMark {
  private let database: String

  init(of database: String) { self.database = database }

  private var path: String { database + "-closed" }

  /// Writes the note after the database was closed, if there is room for it.
  func write() {
    guard let state else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    if Glibc.write(descriptor, bytes, bytes.count) != bytes.count { unlink(path) }
  }

  /// Removes the note, and returns whether it was true; call this before the database is opened,
  /// which makes it untrue.
  func take() -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 256) { room, count in
      count = max(0, read(descriptor, room.baseAddress, room.count))
    }
    // A note that remains would be mistaken for the note of the next end.
    guard unlink(path) == 0, let state else { return false }
    return bytes == Array(state.utf8)
  }

  /// The size of the file and the time of its last change; `nil` if it has a log, or does not
  /// exist.
  private var state: String? {
    var (file, log) = (stat(), stat())
    guard stat(database, &file) == 0, stat(database + "-wal", &log) != 0 || log.st_size == 0 else { return nil }
    return "\(file.st_size) \(file.st_mtim.tv_sec) \(file.st_mtim.tv_nsec)\n"
  }
}
