import Glibc

/// The size of a disk, and what this user may still write to it.
///
/// A quota is not part of it: the system tells of one only when it is used up.
struct DiskSpace: Sendable {
  /// Bytes that this user may still write.
  let free: Int64
  /// Bytes of the whole disk.
  let total: Int64

  /// Reads the figures of the disk that a folder is on; `nil` if the system does not tell them.
  init?(folder: String) {
    var status = statvfs()
    guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
    free = Self.bytes(UInt64(status.f_bavail), UInt64(status.f_frsize))
    total = Self.bytes(UInt64(status.f_blocks), UInt64(status.f_frsize))
  }

  private static func bytes(_ blocks: UInt64, _ size: UInt64) -> Int64 {
    let product = blocks.multipliedReportingOverflow(by: size)
    return product.overflow ? .max : Int64(clamping: product.partialValue)
  }
}
