import Glibc
import LatchkeyNode
import LatchkeySystem
import Synchronization

/// The confinement of the process of the pages to its own files.
///
/// With a phone let in, everybody in the home's network reaches this process. If it is taken over,
/// it cannot read the node's key and database, nor any other file of the account.
///
/// Spec: Protocol/15-pages.md §10.
public enum WebConfinement {
  /// Returns what the process may open: programs and settings of the system, the folder of phones,
  /// and the folder in which commands find it.
  ///
  /// Both folders are created, where that is possible: a rule names what is there.
  static func rules(_ place: WebPlace, stateFolder: String) -> [FileConfinement.Rule] {
    let folders = [place.folder, PhonePlace.folder(in: stateFolder)]
    for folder in folders { mkdir(folder, 0o700) }
    return FileConfinement.programs + folders.map { FileConfinement.Rule($0, .write) }
  }

  /// The folder of phones that the rules mean, by its device and number.
  private struct State {
    var folder: FolderMark?
    var isInForce = false
  }

  private static let state = Mutex(State())

  /// A Boolean value that indicates whether this process is confined.
  static var isInForce: Bool { state.withLock { $0.isInForce } }

  /// A Boolean value that indicates whether another folder has taken the place of that of phones,
  /// as when a backup was restored.
  ///
  /// The rules mean the earlier one, so that this process can open nothing in the new one.
  static var isOutdated: Bool { state.withLock { $0.isInForce && $0.folder?.isInPlace == false } }

  /// Confines this process, which has only one thread yet.
  public static func begin(_ place: WebPlace, stateFolder: String) {
    // Threads that are there already would not be confined.
    guard ProcFile.names(in: "/proc/self/task")?.count == 1 else { return }
    let rules = rules(place, stateFolder: stateFolder)
    let folder = FolderMark(PhonePlace.folder(in: stateFolder))
    let outcome = FileConfinement.confine(to: rules)
    state.withLock { $0 = State(folder: folder, isInForce: outcome == .confined) }
  }
}

/// A folder as the kernel knows it, whatever its path leads to later.
struct FolderMark: Hashable, Sendable {
  private let path: String
  private let device: UInt64
  private let number: UInt64

  /// Notes what a path leads to; `nil` if it leads to nothing.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, device, number) = (path, UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// A Boolean value that indicates whether the path leads to the same folder as before.
  var isInPlace: Bool { FolderMark(path) == self }
}
