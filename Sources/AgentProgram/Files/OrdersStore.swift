import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The orders on the agent's own disk.
///
/// Spec: Protocol/13-agent.md §7.
struct OrdersStore {
  /// The orders that were found at the start.
  struct Found {
    /// The orders in force; `nil` if there are none.
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

  /// Makes orders durable, or returns the reason why that failed.
  ///
  /// The earlier files then remain.
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
    // A damaged file must not replace an intact one. A second link leaves no instant without the
    // newest file.
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
