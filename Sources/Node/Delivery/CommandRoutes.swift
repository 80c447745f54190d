import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

extension Path {
  fileprivate static let command = text(
    "command", "A command's ID, or a beginning of it of at least four digits that fits one command.")
}

extension Endpoints {
  static let commandRoutes: [any ServedEndpoint] = [
    issue, getCommands, getCommand, waitForCommand, waitForCommands, cancelCommand, markMessageRead,
  ]

  package static let issue = Endpoint(
    .post, "/v1/commands", Body.json(CommandRequest.self),
    browsers: .parent, on: .parent("Commands are given on a parent's machine: run this there."), created: true,
    errors: [.unknownDevice, .ambiguousDevice, .limit],
    summary: "Gives a command, on a parent. It is durable when the answer comes."
  ) { call, request in try await call.issue(request) }

  package static let getCommands = Endpoint(
    .get, "/v1/commands", Query.device, Query.limit, browsers: .look, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Commands, the newest first."
  ) { call, device, limit in try await call.store.commands(device: call.knownDevice(device), limit: limit) }

  package static let getCommand = Endpoint(
    .get, "/v1/commands/{command}", Path.command, browsers: .look, errors: [.unknownCommand], summary: "One command."
  ) { call, id in try await call.command(call.commandID(id), named: id) }

  package static let waitForCommand = Endpoint(
    .get, "/v1/commands/{command}/wait", Path.command, browsers: .look, waits: true, errors: [.unknownCommand],
    summary: "One command, once its status is final."
  ) { call, id in
    let known = try await call.commandID(id)
    return try await call.once(within: Call.longPoll) { call in
      let command = try await call.command(known, named: id)
      return (command, command.status.isFinal)
    }
  }

  package static let waitForCommands = Endpoint(
    .get, "/v1/commands/wait", Query.text("commands", "The whole IDs of 1 to 100 commands, separated by commas."),
    browsers: .look, waits: true, errors: [.unknownCommand],
    summary: "Several commands, once the status of each is final."
  ) { call, list in
    let words = (list ?? "").split(separator: ",").map(String.init)
    guard (1...100).contains(words.count) else {
      throw LocalAPIError(.invalid, "Give 1 to 100 IDs of commands as `commands`, separated by commas.")
    }
    return try await call.once(within: Call.longPoll) { call in
      let commands = try await call.commands(words)
      return (commands, commands.allSatisfy(\.status.isFinal))
    }
  }

  package static let cancelCommand = Endpoint(
    .delete, "/v1/commands/{command}", Path.command, browsers: .parent, errors: [.unknownCommand, .tooLate],
    summary:
      "Takes a command back that no other machine has stored. The earlier one that it had replaced is queued again."
  ) { call, id in try await call.cancelCommand(id) }

  package static let markMessageRead = Endpoint(
    .post, "/v1/messages/{command}/read", Path.text("command", "The whole ID of the message's command."),
    whoMay: .operatorsAndChild, errors: [.unknownItem],
    summary: "Marks a message as read, on the machine that it was sent to."
  ) { call, id in
    // A message is for all children of a machine: one of several must not take it from the others.
    if call.caller.child?.isOnlyOne == false { throw ControlFailure.ofAllChildren.error }
    guard let known = CommandID(id), let message = try await call.store.markRead(known, at: call.context.wall()) else {
      throw LocalAPIError(
        .unknownItem, phrase: "There is no such message on this machine: `latchkey messages` lists them.")
    }
    return message
  }
}

extension Call {
  fileprivate func issue(_ request: CommandRequest) async throws -> ConfigurationCommand {
    let peer = try await device(request.device)
    guard peer.device.role == .child else {
      throw LocalAPIError(
        .wrongRole, phrase: "“{machine}” is no child's machine: name one that `latchkey devices list` shows as child.",
        ["machine": .text(peer.device.name.text)])
    }
    if let fault = request.action.fault { throw LocalAPIError(.invalid, fault) }
    if let lifetime = request.expiresAfter, lifetime != 0,
      !(1_000...Limits.longestLifetimeMilliseconds).contains(lifetime)
    {
      throw LocalAPIError(
        .invalid,
        phrase: "A command may wait from 1 second to 366 days before it expires, or for ever: choose one of these.")
    }
    let (context, wall, device) = (context, context.wall(), peer.device.deviceID)
    let id = context.nextCommandID(wall)
    let issued = try await store.issue(id, to: device, expiresAfter: request.expiresAfter, at: wall) { effects, clock in
      let payload: CommandPayload
      do { payload = try request.action.payload(for: device, in: &effects, clock) } catch let fault as BodyFault {
        throw StoreError.refused(fault.description)
      }
      if let fault = payload.fault { throw StoreError.unexpected(fault) }
      return payload
    }
    CrashPoint.itemAccepted.reached()
    await context.publish([issued.change], [issued.command], isEdit: false, directory)
    return issued.command
  }

  fileprivate func command(_ id: CommandID, named text: String) async throws -> ConfigurationCommand {
    guard let command = try await store.command(id) else { throw Self.unknown(text) }
    return command
  }

  fileprivate func commands(_ words: [String]) async throws -> [ConfigurationCommand] {
    var commands: [ConfigurationCommand] = []
    for word in words {
      guard let id = CommandID(word) else { throw Self.unknown(word) }
      commands.append(try await command(id, named: word))
    }
    return commands
  }

  /// Returns the ID of a command that a person named by it or by an unambiguous beginning of it.
  fileprivate func commandID(_ text: String) async throws -> CommandID {
    if let id = CommandID(text) { return id }
    let prefix = text.lowercased().filter { $0 != "-" }
    guard prefix.count >= 4, prefix.allSatisfy({ $0.isHexDigit }) else { throw Self.unknown(text) }
    let matches = try await store.commandIDs(beginning: prefix)
    guard let match = matches.first else { throw Self.unknown(text) }
    guard matches.count == 1 else {
      throw LocalAPIError(
        .unknownCommand, "“\(DeviceName(sanitising: text))” fits several commands: give more of the ID.")
    }
    return match
  }

  private static func unknown(_ text: String) -> LocalAPIError {
    LocalAPIError(
      .unknownCommand, "There is no command “\(DeviceName(sanitising: text))” here: see `latchkey commands list`.")
  }

  fileprivate func cancelCommand(_ id: String) async throws -> ConfigurationCommand {
    let known = try await commandID(id)
    let command = try await store.command(known)
    if command?.payload.as(Edit.self) != nil {
      throw LocalAPIError(
        .invalid,
        phrase: "What is set for a child holds on all its machines and is not taken back: set what you want instead.")
    }
    guard let (present, wasCancelled) = try await store.cancel(known, at: context.wall()) else {
      throw Self.unknown(id)
    }
    guard wasCancelled else {
      throw LocalAPIError(
        .tooLate,
        "The command is \(present.status.rawValue) and cannot be taken back: give one that sets what you want instead."
      )
    }
    CrashPoint.itemAccepted.reached()
    context.changes.notify()
    return present
  }
}

/// A service that ends expired commands.
///
/// It is idle while no command can expire.
struct ExpiryService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// The longest time between two checks, in milliseconds.
  ///
  /// The time of a check is stored, so a power cut costs at most this much of a command's age.
  private static let look: Int64 = 10 * 60_000
  /// The delay before the next attempt after a disk fault, in milliseconds.
  private static let pause: Int64 = 30_000

  func run() async {
    await context.expiryChanges.follow(
      retry: Self.pause, "the commands could not be checked for expiry", context.logger
    ) {
      let expired = try await context.store.expireDue(at: context.wall())
      if !expired.isEmpty {
        context.logger.notice("commands have expired", metadata: ["count": "\(expired.count)"])
        context.changes.notify()
      }
      let late = try await context.store.expireEffects(at: context.wall())
      if !late.isEmpty {
        context.logger.notice("effects had no outcome in time", metadata: ["count": "\(late.count)"])
        await directory.committed(late)
      }
      return try await context.store.untilNextExpiry().map { min($0, Self.look) }
    }
  }
}

extension Endpoints {
  static let queueRoutes: [any ServedEndpoint] = [getQueue, getQueueEntry]

  package static let getQueue = Endpoint(
    .get, "/v1/queue", Query.device, Query.streamClass("class"), Query.limit,
    browsers: .look, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Waiting items, the most urgent class and the oldest item first."
  ) { call, device, streamClass, limit in try await call.queue(device, streamClass, limit: limit) }

  package static let getQueueEntry = Endpoint(
    .get, "/v1/queue/{device}/{class}/{number}", Path.device, Path.streamClass("class"),
    Path.number("number", "The item's number in its class."), browsers: .look,
    errors: [.unknownDevice, .ambiguousDevice, .unknownItem],
    summary: "One waiting item."
  ) { call, device, streamClass, number in try await call.queueEntry(device, streamClass, number) }
}

extension Call {
  fileprivate func queue(_ device: String?, _ streamClass: StreamClass?, limit: Int) async throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    for record in try await listedDevices(device) where entries.count < limit {
      entries += try await self.entries(record, streamClass, number: nil, limit: limit - entries.count)
    }
    return entries
  }

  fileprivate func queueEntry(
    _ device: String, _ streamClass: StreamClass, _ number: UInt64
  ) async throws -> QueueEntry {
    let record = try await listedDevice(device)
    guard let entry = try await entries(record, streamClass, number: number, limit: 1).first else {
      throw LocalAPIError(
        .unknownItem, "Nothing waits for “\(record.device.name)” under that number: see `latchkey queue`.")
    }
    return entry
  }

  private func entries(
    _ record: PeerRecord, _ streamClass: StreamClass?, number: UInt64?, limit: Int
  ) async throws -> [QueueEntry] {
    let device = record.device.deviceID
    var entries = try await store.queue(device, streamClass, number: number, limit: limit, at: context.wall())
    if let link = await directory.link(device) {
      let sent = await link.sentThrough
      for index in entries.indices {
        entries[index].isInFlight = sent[entries[index].streamClass].map { entries[index].number <= $0 } ?? false
      }
    }
    return entries
  }
}
