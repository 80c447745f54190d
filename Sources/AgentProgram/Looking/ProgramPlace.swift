import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol

/// What the place of a program's file says about it.
///
/// Spec: Protocol/13-agent.md §6, §8.
struct ProgramPlace {
  /// The path as the kernel shows it, which follows the process's own mounts; that of a file that was replaced, without what the
  /// kernel appends.
  let path: String
  let status: stat
  /// A Boolean value that indicates whether the file is on a file system that is not the machine's own.
  let isForeign: Bool
  /// A Boolean value that indicates whether the file at that path in the agent's own view is the same, or has replaced it.
  let isGenuine: Bool
  /// A Boolean value that indicates whether an upgrade has put another file at the path.
  private let isReplaced: Bool
  /// What the kernel says of the folder at the path's place in the agent's own view; `nil` if there is none.
  private let folder: stat?

  /// Creates the place of a file; `mounts` are the machine's.
  ///
  /// `isSandboxed` tells whether the process may see other files than the machine's. It is asked about a file of root's that is gone.
  init(path shown: String, status: stat, _ mounts: MountTable, isSandboxed: () -> Bool = { true }) {
    let isReplaced = Self.isReplaced(shown, status, mounts, isSandboxed)
    let path = isReplaced ? Self.cleaned(shown) : shown
    (self.path, self.status, self.isReplaced) = (path, status, isReplaced)
    isGenuine =
      isReplaced
      || (ProcFile.status(path).map { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino } ?? false)
    isForeign = mounts.isForeign(path, device: UInt64(status.st_dev), isGenuine: isGenuine)
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
    self.folder = ProcFile.status(folder)
  }

  /// A Boolean value that indicates whether the file has no place on a disk (any more), and nothing has replaced it.
  private var isGone: Bool {
    !isReplaced && (status.st_nlink == 0 || path.hasSuffix(" (deleted)") || path.hasPrefix("/memfd:"))
  }

  /// Returns whether a file of root's is gone, and root has put another one on the same disk in its place.
  ///
  /// Outside of a sandbox, only root can give a file that path: in mounts of its own, an account gives it to any file.
  private static func isReplaced(
    _ path: String, _ status: stat, _ mounts: MountTable, _ isSandboxed: () -> Bool
  ) -> Bool {
    guard status.st_nlink == 0, status.st_uid == 0, status.st_mode & 0o022 == 0, path.hasSuffix(" (deleted)"),
      mounts.isOwn(UInt64(status.st_dev)), let new = ProcFile.status(cleaned(path)), new.st_dev == status.st_dev,
      new.st_uid == 0, new.st_mode & 0o022 == 0
    else { return false }
    return !isSandboxed()
  }

  /// A Boolean value that indicates whether the system needs this program and only root can change its file.
  ///
  /// Its path counts only in the agent's own view: in mounts of its own, an account gives every file any path.
  var isNeeded: Bool {
    status.st_uid == 0 && status.st_mode & 0o022 == 0 && !isForeign
      && path.split(separator: "/").last.map(NeededPrograms.contains) == true && isGenuine
  }

  /// The snap in whose folder the path is; `nil` for another place.
  var snap: String? {
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst()
    guard parts.first == "snap", let rest = parts.dropFirst().first, let end = rest.firstIndex(of: "/") else {
      return nil
    }
    return String(rest[..<end])
  }

  /// A Boolean value that indicates whether the file runs another program that is named to it, as the dynamic loader does.
  var isLoader: Bool { ProcessFacts.Image(path: path).isLoader }

  /// Returns whether an account can put a program there; `isOwn` tells whether a user ID is the account's.
  func isWritable(_ isOwn: (UInt32) -> Bool) -> Bool {
    if isForeign || isGone || Self.canWrite(status, isOwn) { return true }
    return folder.map { Self.canWrite($0, isOwn) } ?? false
  }

  private static func canWrite(_ status: stat, _ isOwn: (UInt32) -> Bool) -> Bool {
    isOwn(status.st_uid) || status.st_mode & 0o002 != 0 || status.st_mode & 0o020 != 0 && status.st_gid != 0
  }

  /// Returns a path without what the kernel appends to that of a file that was deleted.
  static func cleaned(_ path: String) -> String {
    path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
  }

  static func isLibrary(_ path: String) -> Bool {
    (path.hasPrefix("/usr/lib") || path.hasPrefix("/lib")) && path.contains(".so")
  }
}
