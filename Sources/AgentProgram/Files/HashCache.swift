import Glibc
import LatchkeyCrypto
import LatchkeyModel

/// The SHA-256 of files, each read once as long as it is not changed.
///
/// Spec: Protocol/13-agent.md §8.
struct HashCache {
  /// The most files that are remembered.
  private static let capacity = 8_192
  /// The largest file that is read, in bytes.
  static let largestFile: Int64 = 512 << 20

  private var known: [FileMark: String] = [:]
  /// The number of files that were read.
  private(set) var reads = 0

  /// Returns the SHA-256 of a file, 64 lower-case hexadecimal digits; `nil` if it cannot be read, or is too large.
  ///
  /// `expected` is what the kernel has just said of the file, if it was asked: the path must still lead to the same file.
  mutating func digest(of path: String, expected: FileMark? = nil) -> String? {
    if let digest = expected.flatMap({ known[$0] }) { return digest }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largestFile else {
      return nil
    }
    let mark = FileMark(status)
    if let expected, (expected.device, expected.inode) != (mark.device, mark.inode) { return nil }
    if let digest = known[mark] { return digest }
    reads += 1
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    // What was changed while it was read has no hash.
    guard fstat(descriptor, &status) == 0, FileMark(status) == mark else { return nil }
    let digest = Hexadecimal.encode(hash.finalize())
    if known.count >= Self.capacity { known = [:] }
    known[mark] = digest
    return digest
  }
}
