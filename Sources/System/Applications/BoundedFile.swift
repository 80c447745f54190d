import Glibc

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

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns a path with its links resolved; `nil` if there are none, or nothing is at the path.
  static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let found = String(cString: real)
    return found == path ? nil : found
  }

  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
