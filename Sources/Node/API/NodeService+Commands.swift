import LatchkeyCrypto
import LatchkeyModel
import LatchkeyStore

extension NodeService {
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
    let make = try Self.payload(request.action)
    if let lifetime = request.expiresAfter, lifetime != 0,
      !(1_000...Limits.longestLifetimeMilliseconds).contains(lifetime)
    {
      throw LocalAPIError(
        .invalid, "A command may wait from 1 second to 366 days before it expires, or for ever: choose one of these.")
    }
    let (context, wall) = (context, context.wall())
    let id = context.nextCommandID(wall)
    let issued: (command: ConfigurationCommand, change: OutboxChange)
    do {
      issued = try await context.store.issue(
        id, to: peer.device.deviceID, expiresAfter: request.expiresAfter, at: wall
      ) { apps, clock in
        let payload = try make(apps, clock)
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

  private typealias PayloadMaker = @Sendable (AppLookup, ClockReader) throws -> CommandPayload

  /// Check what was asked, and how to make it a payload once the present rule is known.
  private static func payload(_ action: CommandRequest.Action) throws(LocalAPIError) -> PayloadMaker {
    switch action {
    case .setApp(let change):
      let id = try appID(change.appID)
      // Whatever the present rule is, the changes themselves have to be sound.
      if let fault = apply(change, to: nil, id, HybridTimestamp(wall: 0, counter: 0, author: anyone)).fault {
        throw LocalAPIError(.invalid, fault)
      }
      return { apps, clock in .setApp(apply(change, to: try apps(id), id, try clock())) }
    case .removeApp(let text):
      let id = try appID(text)
      return { _, clock in .removeApp(id, modified: try clock()) }
    case .setFamilySettings(let settings):
      if let fault = settings.fault { throw LocalAPIError(.invalid, fault) }
      do { _ = try DayBoundary(zone: settings.zone, dayStartHour: settings.dayStartHour) } catch {
        throw LocalAPIError(.invalid, error.description)
      }
      return { _, clock in
        var settings = settings
        // The later of two edits holds, whatever version its maker had seen.
        settings.version = try clock().wall
        return .setFamilySettings(settings)
      }
    case .requestReport: return { _, _ in .requestReport }
    case .message(let text):
      if let fault = CommandPayload.message(text).fault { throw LocalAPIError(.invalid, fault) }
      return { _, _ in .message(text) }
    }
  }

  private static let anyone: DeviceID = {
    guard let id = DeviceID(bytes: [UInt8](repeating: 0, count: DeviceID.size)) else { preconditionFailure("20 bytes") }
    return id
  }()

  private static func appID(_ text: String) throws(LocalAPIError) -> AppID {
    guard let id = AppID(text) else {
      throw LocalAPIError(
        .invalid,
        "“\(DeviceName(sanitising: text))” is no application ID: give its desktop or Flatpak ID, such as org.gnome.Chess."
      )
    }
    return id
  }

  private static func apply(
    _ change: CommandRequest.SetApp, to present: AppConfiguration?, _ id: AppID, _ now: HybridTimestamp
  ) -> AppConfiguration {
    var configuration =
      present
      ?? AppConfiguration(appID: id, displayName: id.text, category: .neutral, milliPointsPerMinute: 0, modified: now)
    configuration.modified = now
    if let name = change.displayName { configuration.displayName = name }
    if let category = change.category { configuration.category = category }
    if let rate = change.milliPointsPerMinute { configuration.milliPointsPerMinute = rate }
    if let isEnabled = change.isEnabled { configuration.isEnabled = isEnabled }
    if let isBlocked = change.isBlocked { configuration.isBlocked = isBlocked }
    if let limit = change.dailyLimitMinutes { configuration.dailyLimitMinutes = limit < 0 ? nil : limit }
    if let matchers = change.matchers { configuration.matchers = matchers }
    return configuration
  }

  public func commands(device: String?, limit: Int) async throws(LocalAPIError) -> [ConfigurationCommand] {
    var target: DeviceID?
    if let device { target = try await findKnown(device).device.deviceID }
    let bounded = min(max(limit, 1), 10_000)
    return try await stored { () async throws(StoreError) in
      try await context.store.commands(device: target, limit: bounded)
    }
  }

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

  public func cancelCommand(id: String) async throws(LocalAPIError) -> ConfigurationCommand {
    let known = try await commandID(id)
    let context = context
    guard
      let (command, wasCancelled) = try await stored({ () async throws(StoreError) in
        try await context.store.cancel(known, at: context.wall())
      })
    else { throw Self.unknown(id) }
    guard wasCancelled else {
      throw LocalAPIError(
        .tooLate,
        "The command is \(command.status.rawValue) and cannot be taken back: give one that sets what you want instead.")
    }
    context.changes.notify()
    return command
  }
}
