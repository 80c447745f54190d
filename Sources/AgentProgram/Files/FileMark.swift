import Glibc

/// The identity of a file's content, which differs once the file has been changed.
struct FileMark: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  var changedSeconds: Int64
  var changedNanoseconds: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    changedSeconds = Int64(status.st_ctim.tv_sec)
    changedNanoseconds = Int64(status.st_ctim.tv_nsec)
  }

  /// Returns whether another mark is of the same file, even if the file was changed in between.
  func isSameFile(_ other: FileMark) -> Bool { device == other.device && inode == other.inode }
}
