import Glibc
import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyModel

/// The SHA-256 of files, each read once as long as it is not changed.
///
/// Small files are read at once. Larger ones are read in parts between everything else that the agent does: a child can make
/// files of any size, and none must delay what is done about other programs.
///
/// Spec: Protocol/13-agent.md §8.
struct HashCache {
  /// The largest file that is read at once, and the largest that is read, in bytes.
  static let atOnce: Int64 = 8 << 20
  static let largestFile: Int64 = 512 << 20
  /// The most files that are remembered.
  private static let capacity = 8_192
  /// The most large files that wait; others wait for room.
  private static let mostWaiting = 64
  /// The most large files that are read side by side, so that a small one does not wait for all that came before.
  private static let mostRead = 4
  private static let partBytes = 1 << 18

  private var known: [FileMark: String] = [:]
  /// The large files that are not read to their ends, those that are due first in front.
  ///
  /// A file is due when as many bytes were read since it came as it has: so a child that has many read delays a smaller one
  /// little, and a larger one not for ever.
  private var waiting: [(file: OpenedFile, due: Int64)] = []
  /// The bytes of large files that were read so far.
  private var readBytes: Int64 = 0
  /// The large files of which a hash was asked for that is not known yet, since the last call of `takePostponed`.
  private var postponed: Set<FileMark> = []
  private(set) var reads = 0

  /// Returns the SHA-256 of a file, 64 lower-case hexadecimal digits; `nil` if it cannot be read, is too large, or is not known
  /// yet.
  ///
  /// `expected` is what the kernel has just said of the file, if it was asked: the path must still lead to the same file.
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

  /// Puts a file in its place among those that wait; of too many, the one that is due last has to be asked for again.
  private mutating func wait(for file: OpenedFile) {
    let due = readBytes + file.mark.size
    waiting.insert((file, due), at: waiting.firstIndex { $0.due > due } ?? waiting.endIndex)
    if waiting.count > Self.mostWaiting { waiting.removeLast() }
  }

  /// Returns the large files of which a hash was asked for that is not known yet, since the last such call.
  mutating func takePostponed() -> Set<FileMark> {
    defer { postponed = [] }
    return postponed
  }

  mutating func forget(_ isForgotten: (FileMark) -> Bool) { known = known.filter { !isForgotten($0.key) } }

  /// A Boolean value that indicates whether something waits to be read.
  var hasWork: Bool { !waiting.isEmpty }

  /// Returns whether a large file waits to be read to its end.
  func isWaiting(_ mark: FileMark) -> Bool { waiting.contains { $0.file.mark == mark } }

  /// Reads parts of the large files until an instant, in milliseconds of the boot clock, and returns those that are done.
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

/// A file that is read in parts.
private final class OpenedFile {
  /// What the kernel said of it when it was opened.
  let mark: FileMark
  private let descriptor: Int32
  private var hash = SHA256()
  private var count: Int64 = 0
  private var hasFailed = false

  /// Opens a regular file; `nil` if it is none, cannot be read, or is too large.
  init?(_ path: String) {
    guard let descriptor = RegularFile.open(path) else { return nil }
    self.descriptor = descriptor
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    mark = FileMark(status)
    guard isOpen, mark.size <= HashCache.largestFile else { return nil }
  }

  deinit { close(descriptor) }

  /// Reads a part of at most so many bytes, and returns whether there may be more.
  func read(_ most: Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: most, alignment: 16) { buffer in
      var part = Glibc.read(descriptor, buffer.baseAddress, most)
      while part < 0, errno == EINTR { part = Glibc.read(descriptor, buffer.baseAddress, most) }
      if part > 0 { hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<part])) }
      count += Int64(max(0, part))
      // One that grows while it is read could be read for ever.
      hasFailed = part < 0 || count > mark.size
      return part > 0 && !hasFailed
    }
  }

  /// Returns the SHA-256 of what was read; `nil` if the file was changed meanwhile.
  func digest() -> String? {
    var status = stat()
    guard !hasFailed, fstat(descriptor, &status) == 0, FileMark(status) == mark else { return nil }
    return Hexadecimal.encode(hash.finalize())
  }
}
