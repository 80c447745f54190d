import Foundation
import Glibc

/// A small file that is replaced as a whole and durably.
///
/// After a power cut, it has either the old content or the new one.
package enum DurableFile {
  /// Replaces the file at `path` with `content`, readable by its owner only.
  ///
  /// Throws `NodeStartupError`, which describes the fault of the folder or the disk.
  package static func replace(_ path: String, with content: [UInt8]) throws(NodeStartupError) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw fault(path) }
    let isWritten = write(content, to: descriptor) && fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let reason = isWritten ? errno : code
      unlink(temporary)
      throw fault(path, reason)
    }
    try syncFolder(of: path)
  }

  /// Makes the names in a file's folder durable.
  static func syncFolder(of path: String) throws(NodeStartupError) {
    let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw fault(path) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw fault(path) }
  }

  private static func write(_ content: [UInt8], to descriptor: Int32) -> Bool {
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func fault(_ path: String, _ code: Int32 = errno) -> NodeStartupError {
    NodeStartupError(
      "\(path) cannot be written (\(String(cString: strerror(code)))): check the folder's rights and whether its disk is full.",
      exitStatus: 73)
  }
}
