import Glibc
import LatchkeySystem

/// The files of the Debian packages that orders name, and the paths that they name.
///
/// Spec: Protocol/13-agent.md §8.
struct PackageFiles {
  private let folder: String
  private var names: Set<String> = []
  private var byPath: [String: Set<String>] = [:]
  private var marks: [String: FileMark] = [:]
  private var paths: [String: FileMark?] = [:]
  /// The paths that are links to a program, by the program's own path.
  private var links: [String: Set<String>] = [:]
  /// Programs that run under the names of many links; a link to one of them names another program.
  private static let manyNamed: Set<String> = ["busybox", "flatpak", "snap", "toybox"]
  /// The programs among these files, to recognize copies of them.
  private(set) var originals = OriginalFiles()
  private(set) var places = NamedPlaces()

  /// Creates a table without packages; `folder` is dpkg's.
  init(folder: String = "/var/lib/dpkg/info") {
    self.folder = folder
  }

  /// Reads the files of these packages and at these paths if they have changed, and returns whether
  /// they have.
  mutating func load(_ wanted: Set<String>, paths wantedPaths: Set<String> = []) -> Bool {
    let lists = wanted.isEmpty ? [] : DebianPackages.lists(in: folder).filter { wanted.contains($0.package) }
    var found: [String: FileMark] = [:]
    for (file, _) in lists { found[file] = ProcFile.status("\(folder)/\(file)").map(FileMark.init) }
    let present = Dictionary(uniqueKeysWithValues: wantedPaths.map { ($0, ProcFile.status($0).map(FileMark.init)) })
    guard wanted != names || found != marks || present != paths else { return false }
    (names, marks, byPath, paths, originals) = (wanted, found, [:], present, OriginalFiles())
    (places, links) = (NamedPlaces(), [:])
    for path in wantedPaths.sorted() {
      if let own = Self.program(at: path), own != path { links[own, default: []].insert(path) }
      originals.add(path)
      places.add(path)
    }
    for (file, package) in lists where found[file] != nil {
      guard let paths = DebianPackages.paths(in: "\(folder)/\(file)") else { continue }
      for path in paths {
        originals.add(path, package: package)
        places.add(path, package: package)
        byPath[path, default: []].insert(package)
        // `/bin` and similar folders are now links into `/usr`, and the kernel shows the path
        // behind the link.
        if !path.hasPrefix("/usr/") { byPath["/usr" + path, default: []].insert(package) }
      }
    }
    return true
  }

  func packages(of path: String) -> Set<String> { byPath[path] ?? [] }

  /// Returns the paths named by orders that are links to the program at a path.
  func links(to path: String) -> Set<String> { links[path] ?? [] }

  /// Returns the program that a path leads to, following only root's links; `nil` if it is in
  /// `manyNamed`, or there is none.
  static func program(at path: String) -> String? {
    // Otherwise a child could have another child's rule name any program.
    var status = stat()
    guard lstat(path, &status) == 0, status.st_uid == 0,
      let folder = path.lastIndex(of: "/").flatMap({ ProcFile.status(String(path[...$0])) }), folder.st_uid == 0,
      folder.st_mode & 0o022 == 0, let found = realpath(path, nil)
    else { return nil }
    defer { free(found) }
    let own = String(cString: found)
    return own.split(separator: "/").last.map { manyNamed.contains(String($0)) } == true ? nil : own
  }
}
