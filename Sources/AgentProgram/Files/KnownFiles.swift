import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The files of the Debian packages that orders name, and the paths that they name
/// (Protocol/13-agent.md §8).
struct PackageFiles {
  private let folder: String
  private var names: Set<String> = []
  /// The file lists of these packages, and the folder's mark before they were looked for.
  private var lists: [(file: String, package: String)] = []
  private var folderMark: FileMark?
  /// A Boolean value that indicates whether the folder had the same mark in two scans.
  ///
  /// If it changes twice within the kernel's resolution of time, the second change does not show.
  private var isSettled = false
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

  init(folder: String = "/var/lib/dpkg/info") { self.folder = folder }

  /// Reads the files of packages and at paths if they have changed; returns whether they have.
  mutating func load(_ wanted: Set<String>, paths wantedPaths: Set<String> = []) -> Bool {
    findLists(of: wanted)
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
        // `/bin` and similar folders are links into `/usr`, and the kernel shows the path behind.
        if !path.hasPrefix("/usr/") { byPath["/usr" + path, default: []].insert(package) }
      }
    }
    return true
  }

  /// Looks for the packages' lists again if the folder has changed: it has thousands of files.
  private mutating func findLists(of wanted: Set<String>) {
    let mark = wanted.isEmpty ? nil : ProcFile.status(folder).map(FileMark.init)
    let isSame = mark != nil && mark == folderMark && wanted == names
    if isSame, isSettled { return }
    let all = wanted.isEmpty ? [] : DebianPackages.lists(in: folder)
    lists = all.filter { wanted.contains($0.package) }
    // There are no lists either if the folder could not be read.
    (folderMark, isSettled) = (mark, isSame && !all.isEmpty)
  }

  func packages(of path: String) -> Set<String> { byPath[path] ?? [] }

  /// Returns the paths named by orders that are links to the program at a path.
  func links(to path: String) -> Set<String> { links[path] ?? [] }

  /// Returns the program that a path leads to, following only root's links; `nil` if there is none,
  /// or it runs under many names.
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

/// The programs that orders name by package or path; a file with the same content is a copy
/// (Protocol/13-agent.md §8).
struct OriginalFiles {
  private static let capacity = 32_768

  private struct Original {
    var path: String
    /// The package of the program; `nil` if orders name its path.
    var package: String?
  }

  private var bySize: [Int64: [Original]] = [:]
  private var count = 0

  /// Adds the program at a path, with its package if orders name it; only an executable file.
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

/// The places on disk of the programs that orders name by package or path.
///
/// A program that maps one of these files is recognized by the place, whatever path the file has
/// for that program and however many other files it has mapped. Spec: Protocol/13-agent.md §8.
struct NamedPlaces {
  private static let capacity = 32_768

  private struct Place: Hashable {
    var device: KnownDevices.Device
    var inode: UInt64
  }

  private var images: [Place: ProcessFacts.Image] = [:]

  /// Adds the file at a path, with its package if orders name it; only what can be code.
  mutating func add(_ path: String, package: String? = nil) {
    var status = stat()
    // A link in a package may lead to a file of another package.
    guard package == nil ? stat(path, &status) == 0 : lstat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, package == nil || status.st_mode & 0o111 != 0 || path.contains(".so")
    else { return }
    let place = Place(device: KnownDevices.Device(UInt64(status.st_dev)), inode: UInt64(status.st_ino))
    guard images[place] != nil || images.count < Self.capacity else { return }
    var image = images[place] ?? ProcessFacts.Image(path: path)
    if let package { image.packages.insert(package) } else { image.copiedPaths.insert(path) }
    images[place] = image
  }

  /// Returns the image at a place, whose device is written as in `/proc/PID/maps`; `nil` for none.
  func image(device: some StringProtocol, inode: UInt64) -> ProcessFacts.Image? {
    guard !images.isEmpty, let device = KnownDevices.Device(device, radix: 16) else { return nil }
    return images[Place(device: device, inode: inode)]
  }
}

/// The shells and interpreters that are installed on the machine.
///
/// A copy of one has any name, and runs whatever it is given all the same. It is known by its build
/// ID or, if the original has none, by its content. Spec: Protocol/13-agent.md §8.
struct InterpreterFiles {
  private static let usualFolders = ["/usr/bin", "/usr/local/bin", "/usr/games", "/usr/local/games"]
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
