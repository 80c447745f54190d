import Glibc

/// The search for a program's file, by the rules of execvp.
enum ProgramLookup {
  /// The C library's default if there is no PATH.
  private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the path to run.
  ///
  /// Throws `notFound`, or `notExecutable` if a file with that name may not be run.
  ///
  /// - `name`: A path if it contains a slash; otherwise a name to look for.
  /// - `path`: The value of PATH, in which an empty part denotes the current folder.
  static func file(of name: String, path: String?) throws(ProgramStartError) -> String {
    guard !name.isEmpty else { throw .notFound(name) }
    let candidates: [String]
    if name.contains("/") {
      candidates = [name]
    } else {
      candidates = (path ?? usualPath).split(separator: ":", omittingEmptySubsequences: false).map {
        $0.isEmpty ? "./\(name)" : "\($0)/\(name)"
      }
    }
    var refused: ProgramStartError?
    for candidate in candidates {
      var status = stat()
      guard stat(candidate, &status) == 0 else {
        // A folder in the PATH that this user may not search is skipped, as in shells.
        if errno == EACCES, name.contains("/") { refused = .notExecutable(candidate, errno: EACCES) }
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        // A folder with that name in the PATH is skipped, as in shells.
        if name.contains("/") {
          refused = .notExecutable(candidate, errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EACCES)
        }
        continue
      }
      if access(candidate, X_OK) == 0 { return candidate }
      refused = refused ?? .notExecutable(candidate, errno: errno)
    }
    throw refused ?? .notFound(name)
  }
}
