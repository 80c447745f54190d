import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The shells and interpreters that are installed on the machine.
///
/// A copy of one has any name, and runs whatever it is given all the same. It is known by its build
/// ID or, if the original has none, by its content.
///
/// Spec: Protocol/13-agent.md §8.
struct InterpreterFiles {
  static let usualFolders = ["/usr/bin", "/usr/local/bin", "/usr/games", "/usr/local/games"]
  /// The most originals.
  private static let capacity = 1_024

  private let folders: [String]
  /// The folders as they were when they were read.
  private var read: [FileMark?]?
  private var buildIDs: Set<[UInt8]> = []
  /// The paths of those without a build ID, by size.
  private var others: [Int64: [String]] = [:]

  init(folders: [String] = Self.usualFolders) { self.folders = folders }

  /// Returns whether a file is a copy of a loaded shell or interpreter.
  ///
  /// Only the beginning of the file is read, and `digest` returns the SHA-256 of a file if an
  /// original of the same size has no build ID. While that of the original is not known, the file
  /// counts as a copy.
  func areCopied(by file: String, size: Int64, digest: (String) -> String?) -> Bool {
    if !buildIDs.isEmpty, let id = BuildID.read(file), buildIDs.contains(id) { return true }
    guard let candidates = others[size], let own = digest(file) else { return false }
    return candidates.contains { digest($0).map { $0 == own } ?? true }
  }

  /// Reads which ones are installed, if something in their folders has changed since.
  mutating func load() {
    let present = folders.map { ProcFile.status($0).map(FileMark.init) }
    guard present != read else { return }
    (read, buildIDs, others) = (present, [], [:])
    var seen: Set<FileMark> = []
    for folder in folders {
      for name in ProcFile.names(in: folder) ?? [] where ScriptInterpreters.tellsScript(name) {
        let path = "\(folder)/\(name)"
        guard let status = ProcFile.status(path), status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o111 != 0,
          seen.count < Self.capacity, seen.insert(FileMark(status)).inserted
        else { continue }
        if let id = BuildID.read(path) {
          buildIDs.insert(id)
        } else {
          others[Int64(status.st_size), default: []].append(path)
        }
      }
    }
  }
}
