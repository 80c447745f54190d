import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The file that tells the next run of the agent which processes have inherited an application.
///
/// It is in the folder of the agent's socket. Without it, a restarted agent would not know which
/// application a process has inherited from a parent that has ended.
///
/// Spec: Protocol/13-agent.md §7.
struct LineageStore {
  /// The shortest time between two writes, in milliseconds.
  private static let restMilliseconds: Int64 = 500

  let path: String
  let boot: String
  private var written = 0
  private var next = BootInstant(milliseconds: 0)

  init(besides socket: String, boot: String) {
    path = (socket.lastIndex(of: "/").map { String(socket[...$0]) } ?? "") + "lineage"
    self.boot = boot
  }

  /// Reads the lineages that an earlier run has stored.
  func load() -> [ProcessIdentity: AppID] {
    ProcFile.readForeign(path, most: LineageFile.maximumBytes).map { LineageFile.read($0, boot: boot) } ?? [:]
  }

  /// Returns the instant at which changes up to a number are due to be written; `nil` if they have
  /// been written.
  func due(_ changes: Int) -> BootInstant? { changes == written ? nil : next }

  /// Writes the lineages as of a number of changes, if that is due.
  mutating func keep(_ changes: Int, at now: BootInstant, _ lineages: () -> [ProcessIdentity: AppID]) {
    guard let due = due(changes), due <= now else { return }
    (written, next) = (changes, now + Self.restMilliseconds)
    let content = LineageFile.content(of: lineages(), boot: boot)
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    // An incomplete file must not replace a complete one.
    if count == content.count { rename(new, path) }
  }
}
