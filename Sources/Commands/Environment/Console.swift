/// What a command reads from and writes to.
protocol Console: Sendable {
  /// Whether a person types the input.
  var inputIsTerminal: Bool { get }
  /// Whether a person reads the output.
  var outputIsTerminal: Bool { get }

  /// Write data to standard output at once.
  ///
  /// - Throws: `CommandFailure` when the output takes no more, such as on a full disk.
  func write(_ text: String) throws(CommandFailure)

  /// Tell the person something on standard error, on a line of its own.
  func note(_ text: String)

  /// Put a question on standard error and leave the cursor behind it.
  func prompt(_ text: String)

  /// Read a line without its end; nil at the end of the input or when the task is cancelled.
  func readLine() async -> String?

  /// Catch Ctrl-C and SIGTERM for as long as the stream lives.
  func interrupts() -> AsyncStream<Void>
}
