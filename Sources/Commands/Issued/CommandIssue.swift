import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules
import Synchronization

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

  /// Returns sentences that say when each machine, if it is still known, gets its commands.
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
  /// Returns which parent's machine has set what holds instead of an edit, if that is known.
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

/// A wait for the final status of a command, which continues while the node restarts.
final class CommandWaiter: Sendable {
  private let node: any NodeInterface
  /// The time between two tries at a node that does not answer.
  private let pause: Duration
  private let tell: @Sendable (String) -> Void
  private let isSilent = Mutex(false)

  init(
    node: any NodeInterface, pause: Duration = .milliseconds(250), tell: @escaping @Sendable (String) -> Void = { _ in }
  ) { (self.node, self.pause, self.tell) = (node, pause, tell) }

  /// Waits for several commands; returns them in their final states, or as they are when the time
  /// is up, as far as the node can tell.
  ///
  /// Throws the node's answer to an ID that it does not know.
  func wait(_ ids: [CommandID], seconds: Int) async throws -> [ConfigurationCommand] {
    let begun = ContinuousClock.now
    var commands: [ConfigurationCommand] = []
    // So many IDs fit a request.
    for start in stride(from: 0, to: ids.count, by: 100) {
      let rest = seconds - Int(begun.duration(to: .now).components.seconds)
      commands += try await waitTogether(Array(ids[start...].prefix(100)), seconds: max(1, rest))
    }
    return commands
  }

  private func waitTogether(_ ids: [CommandID], seconds: Int) async throws -> [ConfigurationCommand] {
    let list = ids.map(\.description).joined(separator: ",")
    let ended = try await within(seconds, Endpoints.waitForCommands, list) { $0.allSatisfy(\.status.isFinal) }
    if let ended { return ended }
    var commands: [ConfigurationCommand] = []
    for id in ids {
      if let command = try? await node.ask(Endpoints.getCommand, id.description) { commands.append(command) }
    }
    return commands
  }

  /// Waits for one command by its ID or a beginning of it; `nil` if the node cannot tell.
  func wait(_ id: String, seconds: Int) async throws -> ConfigurationCommand? {
    let ended = try await within(seconds, Endpoints.waitForCommand, id) { $0.status.isFinal }
    if let ended { return ended }
    return try? await node.ask(Endpoints.getCommand, id)
  }

  /// Asks until the answer is an end; returns `nil` when the time is up.
  private func within<Input: Sendable, Answer: Sendable>(
    _ seconds: Int, _ endpoint: Endpoint<Input, Answer>, _ input: Input, isEnd: @escaping @Sendable (Answer) -> Bool
  ) async throws -> Answer? {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        while true {
          if let answer = try await self.answer(endpoint, input), isEnd(answer) { return answer }
          try Task.checkCancellation()
        }
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Returns the node's answer; `nil`, after a pause, if the node could not be asked.
  private func answer<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws -> Answer? {
    do throws(LocalAPIError) {
      let answer = try await node.ask(endpoint, input)
      isSilent.withLock { $0 = false }
      return answer
    } catch {
      guard error.code == .timeout else { throw error }
      // At the end of the time, this ends before the node has answered.
      try Task.checkCancellation()
      // Once for each silence.
      if !isSilent.withLock({ exchange(&$0, with: true) }) {
        tell("This machine's node does not answer: look whether `latchkey run` still runs. Waiting for it …")
      }
      try await Task.sleep(for: pause)
      return nil
    }
  }
}
