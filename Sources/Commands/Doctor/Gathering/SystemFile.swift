import Glibc

/// The reading of small system files.
enum SystemFile {
  /// Returns the beginning of a file as text, up to a number of bytes; `nil` if it cannot be read.
  static func text(_ path: String, bytes: Int = 1 << 20) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while all.count < bytes {
      let count = read(file, &buffer, min(buffer.count, bytes - all.count))
      guard count > 0 else { break }
      all += buffer.prefix(count)
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Returns at most `limit` names in a folder; `nil` if it cannot be read.
  static func names(_ path: String, limit: Int = 65_536) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < limit, let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the system's description of an error number.
  static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }
}
