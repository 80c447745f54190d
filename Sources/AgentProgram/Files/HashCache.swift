import CSodium
import Glibc
import LatchkeyModel
import LatchkeySystem

/// A cache of the SHA-256 of files, which reads a file again only if it has changed.
///
/// Small files are read immediately. Larger ones are read in parts, between the agent's other work.
/// A child can make files of any size, and none of them may delay what the agent does about other
/// programs. Spec: Protocol/13-agent.md §8.
struct HashCache {
  /// The largest file that is read immediately, and the largest that is read at all, in bytes.
  static let atOnce: Int64 = 8 << 20
  static let largestFile: Int64 = 512 << 20
  /// The most files that are remembered.
  private static let capacity = 8_192
  /// The most large files that are queued; further ones must be requested again.
  private static let mostWaiting = 64
  /// The most large files that are read side by side, so that small ones need not wait for all.
  private static let mostRead = 4
  private static let partBytes = 1 << 18

  private var known: [FileMark: String] = [:]
  /// The large files that are not completely read, in the order in which they are due.
  ///
  /// A file is due when as many bytes have been read since it was queued as it contains. A child
  /// that has many files read therefore delays smaller ones only a little, and larger ones not
  /// forever.
  private var waiting: [(file: OpenedFile, due: Int64)] = []
  /// The number of bytes of large files that have been read so far.
  private var readBytes: Int64 = 0
  /// The large files whose hash is not known yet and was requested since `takePostponed`.
  private var postponed: Set<FileMark> = []
  private(set) var reads = 0

  /// Returns the SHA-256 of a file as 64 lower-case hexadecimal digits.
  ///
  /// Returns `nil` if the file cannot be read, is too large, or has not been read completely.
  /// `expected` is the mark that the kernel has just reported for the file, if it was asked. If the
  /// path now leads to a different file, the result is `nil`.
  mutating func digest(of path: String, expected: FileMark? = nil) -> String? {
    if let digest = expected.flatMap({ known[$0] }) { return digest }
    if let expected, isWaiting(expected) {
      postponed.insert(expected)
      return nil
    }
    guard let file = OpenedFile(path), expected.map(file.mark.isSameFile) ?? true else { return nil }
    if let digest = known[file.mark] { return digest }
    guard file.mark.size > Self.atOnce else {
      while file.read(Self.partBytes) {}
      return finish(file)
    }
    postponed.insert(file.mark)
    if !isWaiting(file.mark) { wait(for: file) }
    return nil
  }

  /// Queues a file by its due value.
  ///
  /// If the queue is too long, the file that is due last is dropped and must be requested again.
  private mutating func wait(for file: OpenedFile) {
    let due = readBytes + file.mark.size
    waiting.insert((file, due), at: waiting.firstIndex { $0.due > due } ?? waiting.endIndex)
    if waiting.count > Self.mostWaiting { waiting.removeLast() }
  }

  /// Returns the large files whose hash was requested since the last call and is not known yet.
  mutating func takePostponed() -> Set<FileMark> {
    defer { postponed = [] }
    return postponed
  }

  mutating func forget(_ isForgotten: (FileMark) -> Bool) { known = known.filter { !isForgotten($0.key) } }

  var hasWork: Bool { !waiting.isEmpty }

  /// Returns whether a large file is queued or partly read.
  func isWaiting(_ mark: FileMark) -> Bool { waiting.contains { $0.file.mark == mark } }

  /// Reads parts of the large files until an instant, in milliseconds of the boot clock, and
  /// returns the completed files.
  mutating func work(until end: Int64) -> Set<FileMark> {
    var done: Set<FileMark> = []
    repeat {
      for (file, _) in waiting.prefix(Self.mostRead) {
        readBytes += Int64(Self.partBytes)
        guard !file.read(Self.partBytes) else { continue }
        waiting.removeAll { $0.file === file }
        done.insert(file.mark)
        _ = finish(file)
      }
    } while !waiting.isEmpty && SystemClock.boot.milliseconds < end
    return done
  }

  private mutating func finish(_ file: OpenedFile) -> String? {
    reads += 1
    guard let digest = file.digest() else { return nil }
    if known.count >= Self.capacity { known = [:] }
    known[file.mark] = digest
    return digest
  }
}

private final class OpenedFile {
  let mark: FileMark
  private let descriptor: Int32
  private var hash = SHA256()
  private var count: Int64 = 0
  private var hasFailed = false

  /// Opens a file; `nil` if it is not a regular file, cannot be read, or is too large.
  init?(_ path: String) {
    guard let descriptor = RegularFile.open(path) else { return nil }
    self.descriptor = descriptor
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    mark = FileMark(status)
    guard isOpen, mark.size <= HashCache.largestFile else { return nil }
  }

  deinit { close(descriptor) }

  /// Reads at most `most` bytes, and returns whether there may be more.
  func read(_ most: Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: most, alignment: 16) { buffer in
      var part = Glibc.read(descriptor, buffer.baseAddress, most)
      while part < 0, errno == EINTR { part = Glibc.read(descriptor, buffer.baseAddress, most) }
      if part > 0 { hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<part])) }
      count += Int64(max(0, part))
      // A file that grows while it is read could otherwise be read forever.
      hasFailed = part < 0 || count > mark.size
      return part > 0 && !hasFailed
    }
  }

  /// Returns the SHA-256 of the bytes read; `nil` if the file was changed while it was read.
  func digest() -> String? {
    var status = stat()
    guard !hasFailed, fstat(descriptor, &status) == 0, FileMark(status) == mark else { return nil }
    return Hexadecimal.encode(hash.finalize())
  }
}

/// The hash function SHA-256, piece by piece.
///
/// The program of the agent contains nothing of the cryptography of the protocol.
private struct SHA256 {
  private var state = crypto_hash_sha256_state()

  init() { crypto_hash_sha256_init(&state) }

  mutating func update(_ piece: UnsafeRawBufferPointer) {
    crypto_hash_sha256_update(&state, piece.bindMemory(to: UInt8.self).baseAddress, UInt64(piece.count))
  }

  /// Returns the digest, 32 bytes.
  consuming func finalize() -> [UInt8] {
    var copy = state
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
    crypto_hash_sha256_final(&copy, &digest)
    return digest
  }
}

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
  fileprivate func isSameFile(_ other: FileMark) -> Bool { device == other.device && inode == other.inode }
}
