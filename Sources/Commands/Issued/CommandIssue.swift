import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The issuing of a command to a child's machine, and waiting for it if requested.
enum CommandIssue {
  /// Issues the command, prints when the machine gets it and, with `--wait`, the result.
  static func give(
    _ action: CommandDraft, on device: String, at node: any NodeInterface, options: IssueOptions
  ) async throws {
    let console = TerminalEnvironment.current.console
    let command = try await node.ask(
      Endpoints.issue, CommandRequest(device: device, action: action, expiresAfter: options.expires?.milliseconds))
    if options.format == .json {
      try console.write(JSONText.pretty(command))
    } else if options.verbose {
      try console.write("\(command.commandID)\n")
    }
    let peer = try? await node.ask(Endpoints.getDevices).first { $0.device.deviceID == command.target }
    if options.format == .text {
      for sentence in delivery(to: [peer.map(EditedMachine.init)], isWaiting: options.wait != nil) {
        console.note(sentence)
      }
    }
    guard let time = options.wait else { return }
    let ended = try await CommandWaiter(node: node, tell: { console.note($0) }).wait(
      command.commandID.description, seconds: time.seconds)
    try CommandEnd.tell(
      ended, id: "last", machine: peer?.device.name, format: options.format == .json ? .json : .table, time: time,
      author: await CommandEnd.author(insteadOf: ended, at: node))
  }

  /// Returns sentences that say when each machine gets the commands that wait for it.
  ///
  /// A machine that is no longer known is `nil`.
  static func delivery(to machines: [EditedMachine?], isWaiting: Bool) -> [String] {
    var peers: [EditedMachine] = []
    for case let peer? in machines where !peers.contains(where: { $0.deviceID == peer.deviceID }) { peers.append(peer) }
    let connected = peers.filter(\.isConnected).map { ShownText.safe($0.name.text) }
    var sentences: [String] = []
    if !connected.isEmpty {
      let verbs = connected.count == 1 ? ("is", "gets") : ("are", "get")
      sentences.append("\(ShownText.list(connected)) \(verbs.0) connected and \(verbs.1) this now.")
    }
    for peer in peers where !peer.isConnected {
      let away = DeviceText.away(peer, now: TerminalEnvironment.current.now())
      sentences.append("\(ShownText.safe(peer.name.text)) \(away). It gets this when it is back.")
    }
    if machines.contains(where: { $0 == nil }) {
      sentences.append("The command is stored here and sent as soon as its machine can be reached.")
    }
    guard let last = sentences.indices.last else { return [] }
    if isWaiting {
      sentences[last] += " Waiting for it; Ctrl-C ends the waiting and not the command."
    } else if connected.isEmpty || sentences.count > 1 {
      sentences[last] += " `latchkey commands` tells how far it is."
    }
    return sentences
  }
}

/// The end of the wait for a command, for the person and for scripts.
enum CommandEnd {
  /// Returns the name of the parent's machine that set what holds instead of an edit; `nil` if the
  /// edit holds or the name is not known.
  static func author(insteadOf command: ConfigurationCommand?, at node: any NodeInterface) async -> String? {
    guard let command, command.status == .superseded else { return nil }
    let held = command.stateInForce?.as(RegistersInForce.self)?.registers ?? []
    guard let newest = held.map(\.modified).max(), newest.author != command.author else { return nil }
    return try? await DeviceNames(of: node).name(newest.author).map { ShownText.safe($0.text) }
  }

  /// Prints the state after a command that was executed.
  ///
  /// Every other final status throws a `TerminalFailure`. `author` is the name of the machine that
  /// set what holds instead of an edit.
  static func tell(
    _ command: ConfigurationCommand?, id: String, machine: DeviceName?, format: ListingFormat, time: WaitingTime,
    author: String? = nil, _ terms: RuleTerms = RuleTerms()
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
      if command.status == .superseded {
        throw TerminalFailure(status, CommandText.overtaken(command, on: name, by: author))
      }
      let verb = command.status == .cancelled ? "was " : ""
      throw TerminalFailure(status, "The command \(verb)\(CommandText.progress(command, terms: terms))")
    }
    if format == .table { try console.say(CommandText.result(command, on: machine, terms)) }
  }
}
