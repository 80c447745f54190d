import CProcess
import Glibc

/// Reading of small files and folders, in /proc and elsewhere, and of the status of files.
///
/// Files of a process that makes readers wait are not read: see `ProcessReads`.
public enum ProcFile {
  /// Returns the content of a file, at most `most` bytes; `nil` if it cannot be read.
  public static func read(_ path: String, most: Int = 4_096) -> [UInt8]? { read(path, most: most, isWhole: true) }

  /// Returns the content of a file as text, at most `most` bytes; `nil` if it cannot be read.
  public static func text(_ path: String, most: Int = 4_096) -> String? {
    read(path, most: most).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the result of a single read of a file, at most `most` bytes; `nil` if it cannot be
  /// read.
  ///
  /// For a process's one-line files and its arguments, the kernel returns everything in one read. A
  /// second read to look for more would cost as much.
  public static func line(_ path: String, most: Int = 4_096) -> [UInt8]? { read(path, most: most, isWhole: false) }

  private static func read(_ path: String, most: Int, isWhole: Bool) -> [UInt8]? {
    ProcessReads.reading(path) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return read(descriptor, most: most, isWhole: isWhole)
    }
  }

  /// Returns the content of a regular file that another user may have created, at most `most`
  /// bytes.
  ///
  /// Returns `nil` if it is not a regular file or cannot be read. If `followsLink` is `false`, a
  /// link is not a regular file.
  public static func readForeign(_ path: String, most: Int, followsLink: Bool = false) -> [UInt8]? {
    guard let descriptor = RegularFile.open(path, followsLink: followsLink) else { return nil }
    defer { close(descriptor) }
    return read(descriptor, most: most, isWhole: true)
  }

  /// The memory for a file at first, in bytes; it grows with what is read, because most files are
  /// much smaller than what their readers accept.
  private static let firstRoom = 16_384

  private static func read(_ descriptor: Int32, most: Int, isWhole: Bool) -> [UInt8]? {
    var (failed, hasEnded) = (false, false)
    var (bytes, room): ([UInt8], Int) = ([], min(most, firstRoom))
    while true {
      bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, size in
        size = buffer.initialize(fromContentsOf: bytes)
        while size < room, !hasEnded {
          let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + size }, room - size)
          if count < 0, errno == EINTR { continue }
          if count < 0 { failed = true }
          size += max(0, count)
          hasEnded = count <= 0 || !isWhole
        }
      }
      guard !hasEnded, room < most else { break }
      room = min(most, room * 4)
    }
    return failed && bytes.isEmpty ? nil : bytes
  }

  /// Replaces a file by one that only its owner can read, but not durably; returns `false` with the
  /// reason in `errno` if it cannot be written.
  package static func replace(_ path: String, with content: [UInt8]) -> Bool {
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let isWhole = write(descriptor, content, content.count) == content.count
    close(descriptor)
    // An incomplete file must not replace a complete one.
    if isWhole, rename(new, path) == 0 { return true }
    let reason = errno
    unlink(new)
    errno = reason
    return false
  }

  /// Returns the target of a link, at most 4,096 bytes; `nil` if it cannot be read.
  public static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = ProcessReads.reading(path) { () -> Int? in
      buffer.withUnsafeMutableBytes { $0.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, 4_096) } }
    }
    guard let count else { return nil }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  /// The target of the link to a process's executable.
  public enum Executable: Hashable, Sendable {
    /// Its path, at most 4,095 bytes.
    case path(String)
    /// The executable exists, but its path is longer than the kernel reports.
    case longPath
    /// There is no executable: the process has ended, or may not be examined.
    case none
  }

  public static func executable(in folder: String) -> Executable {
    if let path = link("\(folder)/exe") { return .path(path) }
    return errno == ENAMETOOLONG ? .longPath : .none
  }

  /// Returns the status of a file, following links; `nil` if it does not exist.
  public static func status(_ path: String) -> stat? {
    ProcessReads.reading(path) {
      var status = stat()
      return stat(path, &status) == 0 ? status : nil
    }
  }

  /// Returns the status of a file that the kernel already knows; `nil` if it is incomplete or the
  /// file does not exist.
  ///
  /// Links are followed. The result contains the device, inode, mode, number of links, owner, size
  /// and times of change. A FUSE server is not asked, so the file may have changed since. The
  /// kernel may still ask the server of a file system that only root can mount, such as NFS.
  public static func knownStatus(_ path: String) -> stat? {
    ProcessReads.reading(path) {
      var status = stat()
      return latchkey_known_status(path, &status) == 0 ? status : nil
    }
  }

  /// Returns at most `most` names in a folder; `nil` if it cannot be read.
  public static func names(in path: String, most: Int = 65_536, withHidden: Bool = true) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < most, let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != "..", withHidden || !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  public static func processes() -> [Int32] { numbers(in: "/proc") }
  public static func threads(of process: Int32) -> [Int32] { numbers(in: "/proc/\(process)/task") }

  private static func numbers(in path: String) -> [Int32] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
      let number = withUnsafeBytes(of: &entry.pointee.d_name) { name -> Int32? in
        var value: Int32 = 0
        for byte in name {
          if byte == 0 { return value > 0 ? value : nil }
          guard byte >= 0x30, byte <= 0x39, value < 100_000_000 else { return nil }
          value = value * 10 + Int32(byte - 0x30)
        }
        return nil
      }
      if let number { found.append(number) }
    }
    return found
  }
}

/// Opening of files that others have created, only if they are regular files.
///
/// Merely opening anything else may have an effect: a pipe's writer continues, and a device is
/// notified.
public enum RegularFile {
  /// `O_PATH`, which opens a descriptor that names a file without opening the file.
  ///
  /// The header declares it only to programs that ask for more than POSIX.
  package static let onlyNames: Int32 = 0o10_000_000

  /// Opens a regular file for reading, and returns its descriptor; `nil` if it is not a regular
  /// file or cannot be read.
  ///
  /// If `followsLink` is `false`, a link is not a regular file.
  public static func open(_ path: String, followsLink: Bool = true) -> Int32? {
    ProcessReads.reading(path) {
      let place = Glibc.open(path, onlyNames | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
      guard place >= 0 else { return nil }
      defer { close(place) }
      var status = stat()
      guard fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      // This opens the file that was checked, even if another one has been put at its path since.
      let descriptor = Glibc.open("/proc/self/fd/\(place)", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
      return descriptor >= 0 ? descriptor : nil
    }
  }
}

/// Reading of files and folders that others have created, within bounds.
enum BoundedFile {
  /// Returns the content of a file; `nil` if it is not a regular file, cannot be read, or has more
  /// than `most` bytes.
  static func bytes(_ path: String, most: Int) -> [UInt8]? {
    guard let size = ProcFile.status(path)?.st_size, size <= most else { return nil }
    // One byte more shows that the file has grown.
    let room = Int(clamping: size) + 1
    return ProcFile.readForeign(path, most: room, followsLink: true).flatMap { $0.count < room ? $0 : nil }
  }

  /// Returns the names in a folder in sorted order, at most `most` of them, without hidden ones.
  static func names(in folder: String, most: Int) -> [String] {
    ProcFile.names(in: folder, most: most, withHidden: false)?.sorted() ?? []
  }

  /// Returns the time of the last change of a file or folder in nanoseconds; 0 if it does not
  /// exist.
  static func changed(_ path: String) -> Int64 {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  /// A Boolean value that indicates whether a program is text that names its interpreter.
  static func isScript(_ path: String) -> Bool {
    ProcFile.readForeign(path, most: 2, followsLink: true) == Array("#!".utf8)
  }

  static func isFolder(_ path: String) -> Bool { isThere(path, S_IFDIR) }
  static func isRegular(_ path: String) -> Bool { isThere(path, S_IFREG) }
  static func isProgram(_ path: String) -> Bool { isRegular(path) && access(path, X_OK) == 0 }

  private static func isThere(_ path: String, _ kind: mode_t) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == kind
  }

  /// Returns a path with its links resolved; `nil` if there are none, or nothing is at the path.
  static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let found = String(cString: real)
    return found == path ? nil : found
  }
}

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
