import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The program that PAM runs before a session begins: `latchkey-agent gate`.
///
/// It refuses only by the exit status 0. If it is missing, crashes or gets no answer, it allows.
/// Spec: Protocol/13-agent.md §13.
struct LoginGate {
  /// The exit status that refuses.
  static let refused: Int32 = 0
  /// The exit status that allows.
  static let allowed: Int32 = 1
  /// The longest time for which it waits for the agent, in milliseconds.
  private static let patience: Int64 = 1_000

  var socket = "/run/latchkey-agent/gate.sock"
  var orders = "/var/lib/latchkey-agent/orders"
  /// The sentence to show to the person who logs in.
  private(set) var sentence = ""

  /// Runs the program, and returns its exit status.
  static func main(arguments: [String]) -> Int32 {
    var gate = LoginGate()
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return 64 }
      switch option {
      case "--socket": gate.socket = value
      case "--orders": gate.orders = value
      default: return 64
      }
    }
    // PAM names the account. It refuses unknown accounts itself.
    guard let name = getenv("PAM_USER"), let entry = getpwnam(name) else { return allowed }
    let status = gate.ask(entry.pointee.pw_uid)
    if !gate.sentence.isEmpty { AgentProgram.write(gate.sentence + "\n", to: STDOUT_FILENO) }
    if status == refused {
      // PAM reads the sentence to its end before it waits for the status.
      close(STDOUT_FILENO)
      close(STDERR_FILENO)
      ParentWait.begin()
    }
    return status
  }

  /// Asks the agent whether a session of an account may begin, and returns the exit status.
  mutating func ask(_ account: UInt32) -> Int32 {
    guard account != 0 else { return Self.allowed }
    let known = OrdersStore(path: orders).load().orders
    let ordered = known?.accounts.first { $0.account == account }
    // The log-in of an account that is not supervised does not wait for the agent. For the others,
    // the agent may hold newer orders that it could not write to the file.
    if known != nil, ordered == nil { return Self.allowed }
    guard let answer = answer(to: GateQuestion(account: account)) else {
      if ordered?.sessions != nil { GateNotes(besides: orders).add() }
      return Self.allowed
    }
    guard !answer.isAllowed else { return Self.allowed }
    let reason =
      answer.reason.isEmpty ? Phrase("no session may be open now").worded(in: MachineLanguage.read()) : answer.reason
    sentence = reason.prefix(1).uppercased() + reason.dropFirst() + "."
    return Self.refused
  }

  private func answer(to question: GateQuestion) -> GateAnswer? {
    // The peer must be the owner of the agent's folder.
    guard let socket = LocalSocket.connect(to: socket), socket.peer?.user == geteuid(),
      socket.write(question.bytes[...]) == question.bytes.count
    else { return nil }
    // The answer is complete when the agent closes the connection.
    let most = GateAnswer.maximumBytes
    return socket.read(within: Self.patience, by: .boot) { $0.count > most }
      .flatMap { $0.count > most ? nil : GateAnswer(bytes: $0) }
  }
}

/// The socket on which log-in gates ask whether a session may begin, and the notes that they left
/// while the agent did not answer (Protocol/13-agent.md §13).
final class GateListener {
  /// The most gates that are served at the same time.
  private static let capacity = 16

  private let listener: LocalSocket
  private var connections: [LocalSocket] = []
  private let notes: GateNotes

  /// Listens at a path, for gates of the agent's own user; `nil` if the system refuses.
  init?(path: String, notes: GateNotes) {
    guard let listener = LocalSocket.listen(at: path) else { return nil }
    (self.listener, self.notes) = (listener, notes)
  }

  /// The descriptors that are ready when a gate asks.
  var descriptors: [Int32] { [listener.descriptor] + connections.map(\.descriptor) }

  func serve(_ answer: (UInt32) -> GateAnswer) {
    while let socket = listener.accept() {
      guard socket.peer?.user == geteuid() else { continue }
      // A gate asks immediately. The oldest of too many is served a last time and dropped.
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

  /// Returns how many log-ins were let through without an answer since the last call.
  func takeNotes() -> UInt64 { notes.take() }
}

/// The notes that gates leave when they let a log-in through without an answer: one byte for each.
struct GateNotes {
  private static let most = 4_096
  let path: String

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
