import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The place of a program's file, and what follows from it (Protocol/13-agent.md §6, §8).
struct ProgramPlace {
  /// The path as the kernel shows it, which follows the process's own mounts.
  ///
  /// For a file that was replaced, it omits the suffix that the kernel appends.
  let path: String
  let status: stat
  /// A Boolean value that indicates whether the file is on a foreign disk.
  let isForeign: Bool
  /// A Boolean value that indicates whether the path leads to the same file in the agent's own
  /// view, or to its replacement.
  let isGenuine: Bool
  /// A Boolean value that indicates whether an upgrade has put another file at the path.
  private let isReplaced: Bool
  /// The status of the path's folder in the agent's own view; `nil` if it does not exist.
  private let folder: stat?

  /// Creates the place of a file; `mounts` are the machine's.
  ///
  /// `isSandboxed` returns whether the process may see other files than the machine's. It is called
  /// only for a missing file of root's.
  init(path shown: String, status: stat, _ mounts: MountTable, isSandboxed: () -> Bool = { true }) {
    let isReplaced = Self.isReplaced(shown, status, mounts, isSandboxed)
    let path = isReplaced ? Self.cleaned(shown) : shown
    (self.path, self.status, self.isReplaced) = (path, status, isReplaced)
    isGenuine =
      isReplaced || (ProcFile.status(path).map { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino } ?? false)
    isForeign = mounts.isForeign(path, device: UInt64(status.st_dev), isGenuine: isGenuine)
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
    self.folder = ProcFile.status(folder)
  }

  /// A Boolean value that indicates whether the file is at no place on a disk, and not replaced.
  private var isGone: Bool {
    !isReplaced && (status.st_nlink == 0 || path.hasSuffix(" (deleted)") || path.hasPrefix("/memfd:"))
  }

  /// Returns whether root has put another file on the same disk in the place of one of root's.
  ///
  /// Outside a sandbox, only root can give a file that path. In its own mounts, an account can give
  /// it to any file.
  private static func isReplaced(
    _ path: String, _ status: stat, _ mounts: MountTable, _ isSandboxed: () -> Bool
  ) -> Bool {
    guard status.st_nlink == 0, status.st_uid == 0, status.st_mode & 0o022 == 0, path.hasSuffix(" (deleted)"),
      mounts.isOwn(UInt64(status.st_dev)), let new = ProcFile.status(cleaned(path)), new.st_dev == status.st_dev,
      new.st_uid == 0, new.st_mode & 0o022 == 0
    else { return false }
    return !isSandboxed()
  }

  /// A Boolean value that indicates whether this is a needed program that only root can change.
  ///
  /// Its path counts in the agent's own view. In its own mounts, an account gives files any path.
  var isNeeded: Bool {
    status.st_uid == 0 && status.st_mode & 0o022 == 0 && !isForeign
      && path.split(separator: "/").last.map(NeededPrograms.contains) == true && isGenuine
  }

  /// The snap whose folder contains the path; `nil` for another place.
  var snap: String? {
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst()
    guard parts.first == "snap", let rest = parts.dropFirst().first, let end = rest.firstIndex(of: "/") else {
      return nil
    }
    return String(rest[..<end])
  }

  /// A Boolean value that indicates whether it runs what its arguments name, as the loader does.
  var isLoader: Bool { ProcessFacts.Image(path: path).isLoader }

  /// Returns whether an account can put a program there.
  ///
  /// `isOwn` returns whether a user ID belongs to the account.
  func isWritable(_ isOwn: (UInt32) -> Bool) -> Bool {
    if isForeign || isGone || Self.canWrite(status, isOwn) { return true }
    return folder.map { Self.canWrite($0, isOwn) } ?? false
  }

  private static func canWrite(_ status: stat, _ isOwn: (UInt32) -> Bool) -> Bool {
    isOwn(status.st_uid) || status.st_mode & 0o002 != 0 || status.st_mode & 0o020 != 0 && status.st_gid != 0
  }

  /// Returns a path without the suffix that the kernel appends for a deleted file.
  static func cleaned(_ path: String) -> String { path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path }

  static func isLibrary(_ path: String) -> Bool {
    (path.hasPrefix("/usr/lib") || path.hasPrefix("/lib")) && path.contains(".so")
  }
}

/// The Flatpak that a process belongs to (Protocol/13-agent.md §8).
struct FlatpakPlace {
  private static let installed = "/var/lib/flatpak/app/"

  let id: String
  /// A Boolean value that indicates whether the system installed the executable with that Flatpak.
  let isGenuine: Bool

  /// Finds the Flatpak of a process with a folder in /proc; `nil` if it belongs to none.
  ///
  /// `program` is the file of the executable; `nil` if it must not be examined.
  init?(path: String, _ program: ProgramPlace?, folder: String, _ devices: KnownDevices, _ mounts: MountTable) {
    // A file of a Flatpak, of the system or of a home, that runs outside the sandbox.
    if let id = Self.installed(path) {
      self.id = id
      isGenuine = path.hasPrefix(Self.installed) && program.map(Self.isSystems) == true
      return
    }
    // Inside the sandbox, including programs of the runtime, such as an interpreter.
    let isInside = path.hasPrefix("/app/")
    guard isInside || MountNamespace.isOther(in: folder), devices.canRead("/.flatpak-info", atRootOf: folder),
      let id = Self.stated(in: folder)
    else { return nil }
    self.id = id
    let place = "\(Self.installed)\(id)/current/active/files/\(path.dropFirst(5))"
    isGenuine =
      isInside && !id.contains("/")
      && program.map { Self.isSystems(ProgramPlace(path: place, status: $0.status, mounts)) } == true
  }

  /// Returns the ID of the Flatpak that a path belongs to: …/flatpak/app/ID/…/files/….
  private static func installed(_ path: String) -> String? {
    let parts = path.utf8.split(separator: 0x2F)
    func isPart(_ place: Int, _ name: String) -> Bool { parts[place].elementsEqual(name.utf8) }
    guard let place = parts.indices.dropLast(3).first(where: { isPart($0, "flatpak") && isPart($0 + 1, "app") }),
      parts.indices.dropFirst(place + 3).dropLast().contains(where: { isPart($0, "files") })
    else { return nil }
    return String(parts[place + 2])
  }

  private static func isSystems(_ program: ProgramPlace) -> Bool {
    program.isGenuine && !program.isForeign && program.status.st_uid == 0
  }

  /// Returns the ID that the process's own view of the files states.
  ///
  /// A link is not followed: it could lead to files that the account serves, or to root's.
  private static func stated(in folder: String) -> String? {
    guard let bytes = ProcFile.readForeign("\(folder)/root/.flatpak-info", most: 16_384) else { return nil }
    for line in bytes.split(separator: 0x0A) where line.starts(with: Array("name=".utf8)) {
      return String(decoding: line.dropFirst(5), as: UTF8.self)
    }
    return nil
  }
}

/// The mount namespaces of processes, which show whether a process is in a sandbox
/// (Protocol/13-agent.md §8).
enum MountNamespace {
  /// The namespaces of programs outside any sandbox: that of the system's first process, and the
  /// agent's own, which its service manager creates.
  private static let usual = Set(["/proc/1/ns/mnt", "/proc/self/ns/mnt"].compactMap { ProcFile.link($0) })

  /// Returns whether a process, given its folder in /proc, may see other files than the machine's.
  static func isOther(in folder: String) -> Bool {
    ProcFile.link("\(folder)/ns/mnt").map { !usual.contains($0) } ?? false
  }
}
