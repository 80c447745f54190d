import Glibc

/// Small files of /proc, and what the kernel says of a file.
enum ProcFile {
  /// Returns the content of a file, at most `most` bytes; `nil` if it cannot be read.
  ///
  /// With `followsLink` false, one that is a link cannot be read.
  static func read(_ path: String, most: Int = 4_096, followsLink: Bool = true) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, size in
      size = 0
      while size < most {
        let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + size }, most - size)
        if count < 0, errno == EINTR { continue }
        if count < 0 { failed = true }
        if count <= 0 { break }
        size += count
      }
    }
    return failed && bytes.isEmpty ? nil : bytes
  }

  /// Returns where a link leads, at most 4,096 bytes; `nil` if it cannot be read.
  static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = buffer.withUnsafeMutableBytes {
      $0.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, 4_096) } ?? -1
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  /// Returns what the kernel says of a file, links followed; `nil` if there is none.
  static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// The numbers of all processes that /proc shows.
  static func processes() -> [Int32] {
    guard let folder = opendir("/proc") else { return [] }
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

/// What identifies the content of a file until the file is changed.
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
}
