import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// The socket on which log-in gates ask whether a session may begin, and the notes that they left
/// while the agent did not answer.
///
/// Spec: Protocol/13-agent.md §13.
final class GateListener {
  /// The most gates that are served at the same time.
  private static let capacity = 16

  private let listener: LocalSocket
  private var connections: [LocalSocket] = []
  private let notes: GateNotes

  /// Listens at a path, for gates of the agent's own user; `nil` if the system refuses.
  init?(path: String, notes: GateNotes) {
    guard let listener = LocalSocket.listen(at: path) else { return nil }
    self.listener = listener
    self.notes = notes
  }

  /// The descriptors that are ready when a gate asks.
  var descriptors: [Int32] { [listener.descriptor] + connections.map(\.descriptor) }

  func serve(_ answer: (UInt32) -> GateAnswer) {
    while let socket = listener.accept() {
      guard socket.peer?.user == geteuid() else { continue }
      // A gate asks immediately. If there are too many, the oldest connection is served a last time
      // and dropped.
      if connections.count >= Self.capacity { _ = isWaiting(connections.removeFirst(), answer) }
      connections.append(socket)
    }
    connections = connections.filter { isWaiting($0, answer) }
  }

  /// Answers a gate if it has asked; returns whether its question is still outstanding.
  private func isWaiting(_ socket: LocalSocket, _ answer: (UInt32) -> GateAnswer) -> Bool {
    guard let bytes = socket.read() else { return false }
    if bytes.isEmpty { return true }
    if let question = GateQuestion(bytes: bytes) { _ = socket.write(answer(question.account).bytes[...]) }
    return false
  }

  /// Returns how many log-ins were let through since the last call because the agent did not
  /// answer.
  func takeNotes() -> UInt64 { notes.take() }
}

/// The notes that gates leave when they let a log-in through without an answer: one byte for each.
struct GateNotes {
  private static let most = 4_096
  let path: String

  /// Creates the notes of the agent that keeps its orders at a path.
  init(besides orders: String) { path = orders + ".unanswered" }

  func add() {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size < Self.most else { return }
    var byte: UInt8 = 0x2E
    _ = write(descriptor, &byte, 1)
  }

  /// Returns the number of notes, and deletes them.
  func take() -> UInt64 {
    guard let status = ProcFile.status(path), unlink(path) == 0 else { return 0 }
    return UInt64(clamping: status.st_size)
  }
}
