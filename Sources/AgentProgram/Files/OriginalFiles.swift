import Glibc
import LatchkeySystem

/// The programs that orders name by package or path.
///
/// A file with the same content is a copy of one.
///
/// Spec: Protocol/13-agent.md §8.
struct OriginalFiles {
  private static let capacity = 32_768

  private struct Original {
    var path: String
    /// The package of the program; `nil` if orders name its path.
    var package: String?
  }

  private var bySize: [Int64: [Original]] = [:]
  private var count = 0

  /// Adds the program at a path, if it is an executable file.
  ///
  /// `package` is its package, if orders name it.
  mutating func add(_ path: String, package: String? = nil) {
    // Texts and pictures are not programs.
    guard count < Self.capacity, let status = ProcFile.status(path), status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o111 != 0, status.st_size > 0
    else { return }
    count += 1
    bySize[Int64(status.st_size), default: []].append(Original(path: path, package: package))
  }

  /// Returns the packages and paths whose programs a file is a copy of.
  ///
  /// `digest` returns the SHA-256 of a file. Only files of the same size are read.
  func copied(_ size: Int64, own: String, digest: (String) -> String?) -> (packages: Set<String>, paths: Set<String>) {
    guard let candidates = bySize[size], let hash = digest(own) else { return ([], []) }
    let same = candidates.filter { digest($0.path) == hash }
    return (Set(same.compactMap(\.package)), Set(same.filter { $0.package == nil }.map(\.path)))
  }
}
