import LatchkeyModel

extension Path {
  fileprivate static let command = text(
    "command", "A command's ID, or a beginning of it of at least four digits that fits one command.")
}

extension Endpoints {
  static let commands: [Route] = [
    issue.route, getCommands.route, commandEvents.route, getCommand.route, waitForCommand.route, cancelCommand.route,
    markMessageRead.route,
  ]

  static let issue = Endpoint(
    .post, "/v1/commands", Body.json(CommandRequest.self), created: true,
    errors: [.unknownDevice, .ambiguousDevice, .wrongRole, .limit],
    summary: "Gives a command, on a parent. It is durable when the answer comes."
  ) { call, request in
    try await call.node.issue(request)
  }

  static let getCommands = Endpoint(
    .get, "/v1/commands", Query.device, Query.limit, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Commands, the newest first."
  ) { call, device, limit in
    try await call.node.commands(device: device, limit: limit)
  }

  static let commandEvents = Endpoint(
    events: "/v1/commands/events", Query.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The commands that are not final, at once; then each command that is new or has changed."
  ) { call, device in
    try await call.node.commandEvents(device: device)
  }

  static let getCommand = Endpoint(
    .get, "/v1/commands/{command}", Path.command, errors: [.unknownCommand], summary: "One command."
  ) { call, id in
    try await call.node.command(id: id)
  }

  static let waitForCommand = Endpoint(
    .get, "/v1/commands/{command}/wait", Path.command, waits: true, errors: [.unknownCommand],
    summary: "One command, once its status is final."
  ) { call, id in
    try await call.node.waitForCommand(id: id)
  }

  static let cancelCommand = Endpoint(
    .delete, "/v1/commands/{command}", Path.command, errors: [.unknownCommand, .tooLate],
    summary:
      "Takes a command back that no other machine has stored. The earlier one that it had replaced is queued again."
  ) { call, id in
    try await call.node.cancelCommand(id: id)
  }

  static let markMessageRead = Endpoint(
    .post, "/v1/messages/{command}/read", Path.text("command", "The whole ID of the message's command."),
    whoMay: .operatorsAndChild, errors: [.unknownItem],
    summary: "Marks a message as read, on the machine that it was sent to."
  ) { call, id in
    // A message is for all children of a machine: one of several must not take it from the others.
    if call.caller.child?.isOnlyOne == false { throw ControlFailure.ofAllChildren }
    return try await call.node.markMessageRead(id: id)
  }
}

extension ControlClient: CommandsAPI {
  /// Issues a command and returns it after the commit.
  public func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(Endpoints.issue, request)
  }

  /// Returns commands, newest first.
  public func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand] {
    try await ask(Endpoints.getCommands, (device, limit))
  }

  /// Returns a command by its ID or an unambiguous prefix of it.
  public func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(Endpoints.getCommand, id)
  }

  /// Returns a command when its status is final, or after 25 s.
  public func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(Endpoints.waitForCommand, id)
  }

  /// Returns a stream of commands: those whose status is not final, then each new or changed one.
  public func commandEvents(device: String?) async throws(LocalAPIError) -> AsyncStream<ConfigurationCommand> {
    try await events(of: Endpoints.commandEvents, device)
  }

  /// Takes a command back that no other machine has stored.
  public func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(Endpoints.cancelCommand, id)
  }

  /// Marks a parent's message as read, by the ID of its command.
  public func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage {
    try await ask(Endpoints.markMessageRead, id)
  }
}
