import LatchkeyCrypto
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

extension NodeService {
  /// Issues a command and returns it after the commit.
  public func issue(_ request: CommandRequest) async throws(LocalAPIError) -> ConfigurationCommand {
    guard context.profile.role == .parent else {
      throw LocalAPIError(.wrongRole, "Commands are given on a parent's machine: run this there.")
    }
    let peer = try await find(request.device)
    guard peer.device.role == .child else {
      throw LocalAPIError(
        .wrongRole, "“\(peer.device.name)” is no child's machine: name one that `latchkey devices list` shows as child."
      )
    }
    if let fault = request.action.fault { throw LocalAPIError(.invalid, fault) }
    if let lifetime = request.expiresAfter, lifetime != 0,
      !(1_000...Limits.longestLifetimeMilliseconds).contains(lifetime)
    {
      throw LocalAPIError(
        .invalid, "A command may wait from 1 second to 366 days before it expires, or for ever: choose one of these.")
    }
    let (context, wall, device) = (context, context.wall(), peer.device.deviceID)
    let id = context.nextCommandID(wall)
    let issued: (command: ConfigurationCommand, change: OutboxChange)
    do {
      issued = try await context.store.issue(
        id, to: device, expiresAfter: request.expiresAfter, at: wall
      ) { effects, clock in
        let payload: CommandPayload
        do { payload = try request.action.payload(for: device, in: &effects, clock) } catch let fault as BodyFault {
          throw StoreError.refused(fault.description)
        }
        if let fault = payload.fault { throw StoreError.unexpected(fault) }
        return payload
      }
    } catch { throw LocalAPIError(error) }
    CrashPoint.itemAccepted.reached()
    await directory.committed([issued.change])
    if issued.command.expiresAfter != nil { context.expiryChanges.notify() }
    context.changes.notify()
    return issued.command
  }

  /// Returns commands, newest first.
  public func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand] {
    var target: DeviceID?
    if let device { target = try await findKnown(device).device.deviceID }
    let bounded = min(max(limit, 1), 10_000)
    return try await stored { () async throws(StoreError) in
      try await context.store.commands(device: target, limit: bounded)
    }
  }

  /// Returns a command by its ID or an unambiguous prefix of it.
  public func command(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    let known = try await commandID(id)
    guard let command = try await stored({ () async throws(StoreError) in try await context.store.command(known) })
    else {
      throw Self.unknown(id)
    }
    return command
  }

  private func commandID(_ text: String) async throws(LocalAPIError) -> CommandID {
    if let id = CommandID(text) { return id }
    let prefix = text.lowercased().filter { $0 != "-" }
    guard prefix.count >= 4, prefix.allSatisfy({ $0.isHexDigit }) else { throw Self.unknown(text) }
    let matches = try await stored { () async throws(StoreError) in
      try await context.store.commandIDs(beginning: prefix)
    }
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

  /// Returns a command when its status is final, or after 25 s.
  public func waitForCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    let deadline = context.now() + Self.longPoll
    while true {
      let seen = context.changes.version
      let command = try await command(id: id)
      let rest = deadline - context.now()
      if command.status.isFinal || rest <= 0 || Task.isCancelled { return command }
      await context.changes.wait(after: seen, milliseconds: rest)
    }
  }

  /// The commands that a stream of changes looks at, the newest.
  private static let watchedCommands = 1_000

  /// Returns a stream of commands: those whose status is not final, then each new or changed one.
  public func commandEvents(device: String?) async throws(LocalAPIError) -> AsyncStream<ConfigurationCommand> {
    let target: DeviceID? = if let device { try await findKnown(device).device.deviceID } else { nil }
    let store = context.store
    return context.changes.events(keepingNewest: Self.watchedCommands, since: [CommandID: ConfigurationCommand]?.none) {
      known in
      // If the disk refuses now, the commands are reported after the next change.
      guard let commands = try? await store.commands(device: target, limit: Self.watchedCommands) else { return [] }
      let before = known
      known = Dictionary(uniqueKeysWithValues: commands.map { ($0.commandID, $0) })
      return commands.reversed().filter { command in
        guard let before else { return !command.status.isFinal }
        return before[command.commandID] != command
      }
    }
  }

  /// Takes a command back that no other machine has stored.
  public func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    let known = try await commandID(id)
    let context = context
    let command = try await stored { () async throws(StoreError) in try await context.store.command(known) }
    if command?.payload.as(Edit.self) != nil {
      throw LocalAPIError(
        .invalid, "What is set for a child holds on all its machines and is not taken back: set what you want instead.")
    }
    guard
      let (present, wasCancelled) = try await stored({ () async throws(StoreError) in
        try await context.store.cancel(known, at: context.wall())
      })
    else { throw Self.unknown(id) }
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
