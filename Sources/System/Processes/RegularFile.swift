import Glibc

/// Opening of files that others have created, only if they are regular files.
///
/// Merely opening anything else may have an effect: a pipe's writer continues, and a device is
/// notified.
public enum RegularFile {
  /// `O_PATH`, which opens a descriptor that names a file without opening the file.
  ///
  /// The header declares it only to programs that ask for more than POSIX.
  private static let onlyNames: Int32 = 0o10_000_000

  /// Opens a regular file for reading, and returns its descriptor; `nil` if it is not a regular
  /// file or cannot be read.
  ///
  /// If `followsLink` is `false`, a link is not a regular file.
  public static func open(_ path: String, followsLink: Bool = true) -> Int32? {
    ProcessReads.reading(path) { openNow(path, followsLink: followsLink) }
  }

  private static func openNow(_ path: String, followsLink: Bool) -> Int32? {
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
