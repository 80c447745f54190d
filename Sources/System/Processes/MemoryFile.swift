import CProcess
import Glibc

/// A file in memory only, without a place on a disk.
public enum MemoryFile {
  /// The device of all such files, as `stat` returns it; `nil` if the system has none.
  public static var device: UInt64? {
    let file = latchkey_memory_file()
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    return fstat(file, &status) == 0 ? UInt64(status.st_dev) : nil
  }
}
