/// What a command reads from and writes to.
protocol Console: Sendable {
  /// Whether a person types the input.
  var inputIsTerminal: Bool { get }
  /// Whether a person reads the output.
  var outputIsTerminal: Bool { get }
  /// Whether a person reads standard error.
  var talkIsTerminal: Bool { get }
  /// The size of the terminal on standard error.
  var size: TerminalSize { get }

  /// Write data to standard output at once.
  ///
  /// - Throws: `TerminalFailure` when the output takes no more, such as on a full disk.
  func write(_ text: String) throws(TerminalFailure)

  /// Tell the person something on standard error, on a line of its own.
  func note(_ text: String)

  /// Put a question on standard error and leave the cursor behind it.
  func prompt(_ text: String)

  /// Write to the terminal on standard error as it is, with what moves its cursor.
  func draw(_ text: String)

  /// Read a line without its end; nil at the end of the input or when the task is cancelled.
  func readLine() async -> String?

  /// Read what has been typed so far, at most 4,096 bytes; nil at the end of the input or when the task is cancelled.
  func readKeys() async -> [UInt8]?

  /// Choose how the terminal hands over what is typed, until the next choice.
  func setInput(_ input: TerminalInput)

  /// Drop what was typed before anybody asked for it.
  func forgetInput()

  /// Catch Ctrl-C, SIGTERM and a terminal that goes away for as long as the stream lives.
  func interrupts() -> AsyncStream<Void>

  /// Hear of every change of the terminal's size for as long as the stream lives.
  func resizes() -> AsyncStream<Void>
}

extension Console {
  /// Writes a sentence to standard output, in lines that fit a terminal there.
  func say(_ sentence: String) throws(TerminalFailure) { try write(sentence.inWidth + "\n") }
}

/// How many characters a terminal shows.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// What is assumed of a terminal that does not say.
  static let usual = TerminalSize(columns: 80, rows: 24)
}
