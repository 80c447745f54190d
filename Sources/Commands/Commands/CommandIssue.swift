import LatchkeyModel

/// Gives a command to a child's machine, and waits for it when asked to.
enum CommandIssue {
  /// Make the command durable at the node, write its ID, and tell how it went when somebody waits.
  static func give(
    _ action: CommandDraft, on device: String, node: NodeOptions, wait: IssueOptions
  ) async throws {
    let console = CommandEnvironment.current.console
    let interface = try await node.open()
    let command = try await interface.issue(
      CommandRequest(device: device, action: action, expiresAfter: wait.expires?.milliseconds))
    let id = command.commandID.description
    try console.write(id + "\n")
    guard let seconds = wait.wait else {
      console.note(
        "The command is stored here and on its way: `latchkey commands wait \(id)` tells when it is in force.")
      return
    }
    let ended = try await CommandWaiter(node: interface).wait(id, seconds: seconds)
    try CommandEnd.tell(ended, id: id, format: .table, seconds: seconds)
  }
}
