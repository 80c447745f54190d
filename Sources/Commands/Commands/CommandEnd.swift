import LatchkeyModel

/// How waiting for a command ended, as told to the person and to scripts.
enum CommandEnd {
  /// Write one line for a command that was executed; `command` is as it was last seen.
  ///
  /// - Throws: `CommandFailure` for every other end.
  static func tell(_ command: ConfigurationCommand?, id: String, format: ListingFormat, seconds: Int) throws {
    let console = CommandEnvironment.current.console
    guard let command, command.status.isFinal else {
      let state =
        switch command?.status {
        case .queued?: "and waits here for the machine"
        case .stored?: "but is stored by the machine, whose answer has not come"
        default: "and the node does not answer now"
        }
      throw CommandFailure(
        .tryAgain,
        "It was not executed within \(seconds) s, \(state): see `latchkey commands show \(ShownText.safe(id))`, or wait on."
      )
    }
    if format == .json { try console.write(JSONText.pretty(command)) }
    let status = ExitStatus(command.status)
    guard status == .ok else {
      throw CommandFailure(status, "The command \(CommandText.progress(command))")
    }
    if format == .table { try console.write(CommandText.progress(command) + "\n") }
  }
}
