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
  ///
  /// - Parameters:
  ///   - place: Where commands find the process.
  ///   - stateFolder: The state folder of the node.
  /// - Returns: The rules.
  static func rules(_ place: WebPlace, stateFolder: String) -> [FileConfinement.Rule] {
    let folders = [place.folder, PhonePlace.folder(in: stateFolder)]
    for folder in folders { mkdir(folder, 0o700) }
    return FileConfinement.programs + folders.map { FileConfinement.Rule($0, .write) }
  }

  private static let state = Mutex(false)

  /// A Boolean value that indicates whether this process is confined.
  static var isInForce: Bool { state.withLock { $0 } }

  /// Confines this process, which has only one thread yet.
  ///
  /// - Parameters:
  ///   - place: Where commands find the process.
  ///   - stateFolder: The state folder of the node.
  public static func begin(_ place: WebPlace, stateFolder: String) {
    // Threads that are there already would not be confined.
    guard ProcFile.names(in: "/proc/self/task")?.count == 1 else { return }
    let outcome = FileConfinement.confine(to: rules(place, stateFolder: stateFolder))
    state.withLock { $0 = outcome == .confined }
  }
}
