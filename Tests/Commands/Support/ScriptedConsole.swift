import Synchronization

@testable import LatchkeyCommands

/// A console that types a script and records the output.
final class ScriptedConsole: Console {
  private struct State {
    var output = ""
    var notes: [String] = []
    var prompts: [String] = []
    var lines: [String]
    var keys: [[UInt8]]
    var reader: AsyncStream<Void>.Continuation?
    var inputs: [TerminalInput] = []
    var forgotten = 0
    /// For a full disk, or a reader that has gone.
    var fault: TerminalFailure?
  }

  let inputIsTerminal: Bool
  let outputIsTerminal: Bool
  let talkIsTerminal: Bool
  /// The screen of a terminal of this size with standard error.
  let screen: ScreenEmulator
  private let waitsForInput: Bool
  private let state: Mutex<State>
  private let interrupted: AsyncStream<Void>
  private let interrupter: AsyncStream<Void>.Continuation
  /// An event for each text that was written on standard output.
  let writes: AsyncStream<Void>
  private let written: AsyncStream<Void>.Continuation
  private let resized: AsyncStream<Void>
  private let resizer: AsyncStream<Void>.Continuation

  /// Creates a console.
  ///
  /// - Parameters:
  ///   - lines: The typed lines, one for each question, after which the input ends.
  ///   - keys: The typed keys, one chunk for each reading.
  ///   - isTerminal: Whether standard input is a terminal.
  ///   - waitsForInput: Whether the person stops typing after all `lines` instead of ending the
  ///     input.
  ///   - outputIsTerminal: Whether standard output is a terminal.
  ///   - size: The size of the terminal.
  ///   - fault: The failure of each reading; `nil` for none.
  init(
    lines: [String] = [], keys: [String] = [], isTerminal: Bool = true, waitsForInput: Bool = false,
    outputIsTerminal: Bool = false, size: TerminalSize = .usual, fault: TerminalFailure? = nil
  ) {
    inputIsTerminal = isTerminal
    self.outputIsTerminal = outputIsTerminal
    talkIsTerminal = isTerminal
    screen = ScreenEmulator(size)
    self.waitsForInput = waitsForInput
    state = Mutex(State(lines: lines, keys: keys.map { Array($0.utf8) }, fault: fault))
    (interrupted, interrupter) = AsyncStream.makeStream()
    (resized, resizer) = AsyncStream.makeStream()
    (writes, written) = AsyncStream.makeStream()
  }

  /// Everything on standard output.
  var output: String { state.withLock { $0.output } }
  /// Every line on standard error.
  var notes: [String] { state.withLock { $0.notes } }
  var prompts: [String] { state.withLock { $0.prompts } }
  /// Both streams in one text.
  var everything: String { output + (notes + prompts).joined(separator: "\n") }

  /// Presses Ctrl-C.
  func interrupt() { interrupter.yield() }

  func write(_ text: String) throws(TerminalFailure) {
    if let fault = state.withLock({ $0.fault }) { throw fault }
    state.withLock { $0.output += text }
    written.yield()
  }

  func note(_ text: String) {
    state.withLock { $0.notes.append(text) }
    screen.write(text + "\n")
  }

  func prompt(_ text: String) {
    state.withLock { $0.prompts.append(text) }
    screen.write(text)
  }

  func draw(_ text: String) { screen.write(text) }

  var size: TerminalSize { screen.size }

  /// Resizes the terminal.
  func resize(_ size: TerminalSize) {
    screen.resize(size)
    resizer.yield()
  }

  func resizes() -> AsyncStream<Void> { resized }

  /// The ways in which input was taken, in turn.
  var inputs: [TerminalInput] { state.withLock { $0.inputs } }

  func setInput(_ input: TerminalInput) {
    state.withLock { if $0.inputs.last != input { $0.inputs.append(input) } }
  }

  /// The number of times that input was discarded.
  var forgotten: Int { state.withLock { $0.forgotten } }

  func forgetInput() { state.withLock { $0.forgotten += 1 } }

  /// Presses keys.
  func type(_ keys: String) {
    let reader = state.withLock { state in
      state.keys.append(Array(keys.utf8))
      defer { state.reader = nil }
      return state.reader
    }
    reader?.finish()
  }

  func readKeys() async -> [UInt8]? {
    while !Task.isCancelled {
      // Each reading has its own stream, since a stream ends when its reader is cancelled.
      let (typed, typing) = AsyncStream<Void>.makeStream()
      let keys = state.withLock { state -> [UInt8]? in
        if state.keys.isEmpty { state.reader = typing }
        return state.keys.isEmpty ? nil : state.keys.removeFirst()
      }
      if let keys { return keys }
      guard waitsForInput else { return nil }
      for await _ in typed {}
    }
    return nil
  }

  private func waitWithoutEnd() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
  }

  func readLine() async -> String? {
    if let line = state.withLock({ $0.lines.isEmpty ? nil : $0.lines.removeFirst() }) {
      // As the terminal itself shows it.
      screen.write(line + "\n")
      return line
    }
    guard waitsForInput else { return nil }
    await waitWithoutEnd()
    return nil
  }

  func interrupts() -> AsyncStream<Void> { interrupted }
}
