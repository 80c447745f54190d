import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The orders on the agent's own disk (Protocol/13-agent.md §7).
struct OrdersStore {
  /// The orders that were found at the start.
  struct Found {
    var orders: AgentOrders?
    /// A Boolean value that indicates whether the newest file is damaged, or missing although the
    /// previous one exists.
    var isDamaged: Bool
  }

  /// The path of the newest orders; the previous ones are in the same folder.
  let path: String

  /// Reads the newest orders that are intact.
  func load() -> Found {
    let content = ProcFile.read(path, most: OrdersFile.maximumBytes + 1)
    if let content, let orders = try? OrdersFile.read(content) { return Found(orders: orders, isDamaged: false) }
    // `keep(_:)` never leaves the previous file without the newest one.
    let older = older()
    return Found(orders: older, isDamaged: content != nil || older != nil)
  }

  private func older() -> AgentOrders? {
    ProcFile.read(path + ".last", most: OrdersFile.maximumBytes + 1).flatMap { try? OrdersFile.read($0) }
  }

  /// Makes orders durable; otherwise returns the reason, and the earlier files remain.
  func keep(_ orders: AgentOrders) -> String? {
    let content: [UInt8]
    do { content = try OrdersFile.content(of: orders) } catch { return error.description }
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return Self.reason(path) }
    let isWritten = Self.write(content, descriptor) && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten else {
      errno = code
      return Self.reason(path)
    }
    // A damaged file must not replace an intact one. By a link, there is always a newest file.
    if let present = ProcFile.read(path, most: OrdersFile.maximumBytes + 1), (try? OrdersFile.read(present)) != nil {
      let older = path + ".last.new"
      unlink(older)
      // Not every file system supports hard links.
      rename(link(path, older) == 0 ? older : path, path + ".last")
    }
    guard rename(new, path) == 0 else { return Self.reason(path) }
    let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return Self.reason(path) }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : Self.reason(path)
  }

  private static func write(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }

  private static func reason(_ path: String) -> String {
    "\(path) cannot be written (\(SystemError.reason())): check the folder's rights and whether its disk is full."
  }
}

/// The file that tells the next run of the agent which processes have inherited an application.
///
/// It is in the folder of the agent's socket. Without it, a restarted agent would not know which
/// application a process has inherited from a parent that has ended. Spec: Protocol/13-agent.md §7.
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

  /// Returns when changes up to a number are due to be written; `nil` if they have been.
  func due(_ changes: Int) -> BootInstant? { changes == written ? nil : next }

  /// Writes the lineages as of a number of changes, if that is due.
  mutating func keep(_ changes: Int, at now: BootInstant, _ lineages: () -> [ProcessIdentity: AppID]) {
    guard let due = due(changes), due <= now else { return }
    (written, next) = (changes, now + Self.restMilliseconds)
    _ = ProcFile.replace(path, with: LineageFile.content(of: lineages(), boot: boot))
  }
}
