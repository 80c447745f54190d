import Glibc

/// The size of a disk, and the space that this user may still write.
///
/// Quotas are not included, since the system reports one only when it is exhausted.
struct DiskSpace: Sendable {
  /// The number of bytes that this user may still write.
  let free: Int64
  /// The size of the disk in bytes.
  let total: Int64

  /// Reads the figures for the disk of a folder; `nil` if the system does not report them.
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
