import Glibc

/// Files that others have made, opened only if they are regular ones.
///
/// To open anything else may do something by itself: a pipe's writer goes on, and a device is told.
public enum RegularFile {
  /// `O_PATH`, which the header declares only to programs that ask for more than POSIX: a descriptor that names a file without
  /// opening it.
  private static let onlyNames: Int32 = 0o10_000_000

  /// Opens a regular file for reading, and returns its descriptor; `nil` if it is none or cannot be read.
  ///
  /// With `followsLink` false, a link is none.
  public static func open(_ path: String, followsLink: Bool = true) -> Int32? {
    ProcessReads.reading(path) { openNow(path, followsLink: followsLink) }
  }

  private static func openNow(_ path: String, followsLink: Bool) -> Int32? {
    let place = Glibc.open(path, onlyNames | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
    guard place >= 0 else { return nil }
    defer { close(place) }
    var status = stat()
    guard fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    // The file that was asked about, whatever has been put at its path since.
    let descriptor = Glibc.open("/proc/self/fd/\(place)", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    return descriptor >= 0 ? descriptor : nil
  }
}
