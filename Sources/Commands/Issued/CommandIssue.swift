import LatchkeyModel

/// The issuing of a command to a child's machine, and waiting for it if requested.
enum CommandIssue {
  /// Issues the command, prints when the machine gets it and, with `--wait`, the result.
  static func give(
    _ action: CommandDraft, on device: String, at node: any NodeInterface, options: IssueOptions
  ) async throws {
    let console = TerminalEnvironment.current.console
    let command = try await node.issue(
      CommandRequest(device: device, action: action, expiresAfter: options.expires?.milliseconds))
    if options.format == .json {
      try console.write(JSONText.pretty(command))
    } else if options.verbose {
      try console.write("\(command.commandID)\n")
    }
    let peer = try? await node.devices().first { $0.device.deviceID == command.target }
    if options.format == .text { console.note(delivery(to: peer, isWaiting: options.wait != nil)) }
    guard let time = options.wait else { return }
    let ended = try await CommandWaiter(node: node, tell: { console.note($0) }).wait(
      command.commandID.description, seconds: time.seconds)
    try CommandEnd.tell(
      ended, id: "last", machine: peer?.device.name,
      format: options.format == .json ? .json : .table,
      time: time)
  }

  /// Returns the time at which a machine receives its queued items, in words.
  static func delivery(to peer: PeerStatus?, isWaiting: Bool) -> String {
    let next =
      isWaiting
      ? " Waiting for it; Ctrl-C ends the waiting and not the command."
      : " `latchkey commands show last` tells how far it is."
    guard let peer else { return "The command is stored here and sent as soon as its machine can be reached." + next }
    let name = ShownText.safe(peer.device.name.text)
    if peer.isConnected { return "\(name) is connected and gets this now." + next }
    return "\(name) \(DeviceText.away(peer, now: TerminalEnvironment.current.now())). It gets this when it is back."
      + next
  }
}

/// The end of the wait for a command, for the person and for scripts.
enum CommandEnd {
  /// Prints the state after a command that was executed.
  ///
  /// Every other final status throws a `TerminalFailure`.
  static func tell(
    _ command: ConfigurationCommand?, id: String, machine: DeviceName?, format: ListingFormat, time: WaitingTime
  ) throws {
    let console = TerminalEnvironment.current.console
    let name = machine.map { ShownText.safe($0.text) } ?? "the machine"
    guard let command, command.status.isFinal else {
      let state =
        switch command?.status {
        case .queued?: "it waits here for \(name)"
        case .stored?: "\(name) has it and has not answered yet"
        default: "this machine's node does not answer: start it with `latchkey run`"
        }
      let next = command == nil ? "The command is kept and goes on then" : "It goes on by itself"
      throw TerminalFailure(
        .tryAgain,
        "The command was not executed within \(time): \(state). \(next); `latchkey commands wait \(ShownText.safe(id))` waits "
          + "again.")
    }
    if format == .json { try console.write(JSONText.pretty(command)) }
    let status = ExitStatus(command.status)
    guard status == .ok else {
      let verb = command.status == .cancelled || command.status == .superseded ? "was " : ""
      throw TerminalFailure(status, "The command \(verb)\(CommandText.progress(command))")
    }
    if format == .table { try console.say(CommandText.result(command, on: machine)) }
  }
}
