import Glibc

/// Finds the file that a program's name means, by the rules of execvp.
enum ProgramLookup {
  /// What the C library takes where there is no PATH.
  private static let usualPath = "/usr/local/bin:/usr/bin:/bin"

  /// Give the path to run.
  ///
  /// - Parameters:
  ///   - name: A path, if it has a slash, else a name to be looked for.
  ///   - path: The value of PATH; an empty part of it is the current folder.
  /// - Throws: `notFound`, or `notExecutable` when there is a file of that name that may not be run.
  static func file(of name: String, path: String?) throws(TrackedProgramError) -> String {
    guard !name.isEmpty else { throw .notFound(name) }
    let candidates: [String]
    if name.contains("/") {
      candidates = [name]
    } else {
      candidates = (path ?? usualPath).split(separator: ":", omittingEmptySubsequences: false).map {
        $0.isEmpty ? "./\(name)" : "\($0)/\(name)"
      }
    }
    var refused: TrackedProgramError?
    for candidate in candidates {
      var status = stat()
      guard stat(candidate, &status) == 0 else {
        // A folder in the PATH that this user may not search is passed over, as shells do.
        if errno == EACCES, name.contains("/") { refused = .notExecutable(candidate, errno: EACCES) }
        continue
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        // A folder of that name in the PATH is passed over, as shells do.
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
