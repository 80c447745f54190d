import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// A flood of wrong attempts at one code, alternating between its forms, from as many addresses as
/// there are connections at a time.
final class Flood: Sendable {
  private struct State {
    var begun = 0
    var made = 0
    var running: Int
    var largestAnswer = 0
  }

  private let code: Invitation
  private let port: UInt16
  private let attempts: Int
  private let connections: Int
  private let state: Mutex<State>

  init(code: Invitation, port: UInt16, attempts: Int, connections: Int) {
    self.code = code
    self.port = port
    self.attempts = attempts
    self.connections = connections
    state = Mutex(State(running: connections))
  }

  /// Attempts whose first bytes were sent on a connection that had come about.
  var made: Int { state.withLock { $0.made } }
  var isOver: Bool { state.withLock { $0.running == 0 } }
  /// The most bytes that an attempt was answered with.
  var largestAnswer: Int { state.withLock { $0.largestAnswer } }

  /// Attempt, and return when all were made.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<connections {
        group.addTask { await onThread { self.work(from: "127.0.0.\(2 + number)") } }
      }
    }
  }

  private func work(from source: String) {
    var (refused, isTyped) = (0, false)
    // While the node is down nothing can be attempted; a node that does not come back ends it.
    while refused < 20_000, begin() {
      guard let stream = try? ByteStream(port: port, from: source) else {
        refused += 1
        state.withLock { $0.begun -= 1 }
        pause(milliseconds: 5)
        continue
      }
      isTyped.toggle()
      let answer = attempt(isTyped, stream)
      state.withLock { state in
        state.made += 1
        state.largestAnswer = max(state.largestAnswer, answer)
      }
    }
    state.withLock { $0.running -= 1 }
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard state.begun < attempts else { return false }
      state.begun += 1
      return true
    }
  }

  /// Tries a wrong secret; returns the bytes of the answer.
  private func attempt(_ isTyped: Bool, _ stream: ByteStream) -> Int {
    guard let guess = try? code.guess(isTyped: isTyped), let attacker = try? Attacker(.child) else { return 0 }
    return attacker.join(guess, on: stream).received.reduce(0) { $0 + 2 + $1.count }
  }
}
