import Synchronization

@testable import LatchkeyCommands

/// A terminal of the tests: types what was put in, and keeps what was printed.
final class ScriptedConsole: Console {
  private struct State {
    var output = ""
    var notes: [String] = []
    var prompts: [String] = []
    var lines: [String]
    /// For a full disk, or a reader that has gone.
    var fault: CommandFailure?
  }

  let inputIsTerminal: Bool
  let outputIsTerminal: Bool
  private let waitsForInput: Bool
  private let state: Mutex<State>
  private let interrupted: AsyncStream<Void>
  private let interrupter: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - lines: what is typed, a line a question; then the input ends.
  ///   - waitsForInput: whether a person who has typed all `lines` just sits there instead.
  init(
    lines: [String] = [], isTerminal: Bool = true, waitsForInput: Bool = false, fault: CommandFailure? = nil
  ) {
    inputIsTerminal = isTerminal
    outputIsTerminal = false
    self.waitsForInput = waitsForInput
    state = Mutex(State(lines: lines, fault: fault))
    (interrupted, interrupter) = AsyncStream.makeStream()
  }

  /// Everything on standard output.
  var output: String { state.withLock { $0.output } }
  /// Every line on standard error.
  var notes: [String] { state.withLock { $0.notes } }
  var prompts: [String] { state.withLock { $0.prompts } }
  /// Both streams in one text.
  var everything: String { output + (notes + prompts).joined(separator: "\n") }

  /// Press Ctrl-C.
  func interrupt() { interrupter.yield() }

  func write(_ text: String) throws(CommandFailure) {
    if let fault = state.withLock({ $0.fault }) { throw fault }
    state.withLock { $0.output += text }
  }

  func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  func prompt(_ text: String) { state.withLock { $0.prompts.append(text) } }

  func readLine() async -> String? {
    if let line = state.withLock({ $0.lines.isEmpty ? nil : $0.lines.removeFirst() }) { return line }
    guard waitsForInput else { return nil }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    return nil
  }

  func interrupts() -> AsyncStream<Void> { interrupted }
}
