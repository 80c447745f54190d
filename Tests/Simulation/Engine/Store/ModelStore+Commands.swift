import LatchkeyModel

/// Commands on the side that gives them. Spec: Protocol/05-delivery.md §9, §10.
extension ModelStore {
  /// Make a command durable: its row, its place in the outbox and the rule it sets here.
  package mutating func issue(
    _ id: CommandID, to device: DeviceID, expiresAfter: Int64? = nil, at wall: Int64,
    payload make: (HybridTimestamp) -> CommandPayload
  ) throws(ModelStoreFault) -> ModelChange {
    let place = try place(device)
    guard peers[place].state == .active else { throw .noSuchPeer }
    let payload = make(tick(wall))
    let body = coding.encode(CommandBody(commandID: id, author: own, createdAt: wall, payload: payload))
    var previous = payload.app.flatMap { rules[device]?[$0] }
    if let key = payload.supersedeKey { supersede(key, for: device, &previous) }
    let change = try enqueue(place, .command, kind: .command, itemID: id.bytes, body: body, caps: caps)
    let lifetime = expiresAfter.map { $0 == 0 ? nil : $0 } ?? payload.usualLifetime
    if lifetime != nil { noteAge() }
    commands.append(
      ModelCommand(
        id: id, target: device, payload: payload, body: body, sequence: change.last, epoch: change.epoch,
        supersedeKey: payload.supersedeKey,
        previous: previous, expiresAt: lifetime.map { countedAge(wall) + $0 }, order: nextOrder(),
        pairing: peers[place].pairing))
    switch payload {
    case .setApp(let rule): rules[device, default: [:]][rule.appID] = rule
    case .removeApp(let app, _): rules[device]?[app] = nil
    case .setFamilySettings, .requestReport, .message, .unpair: break
    }
    return change
  }

  /// Take a command back before it is stored on the child. Gives whether this call did.
  package mutating func cancel(_ id: CommandID) -> Bool {
    guard let index = commands.firstIndex(where: { $0.id == id }), commands[index].status == .queued else {
      return false
    }
    take(index, to: .cancelled, as: .cancelled)
    restoreRule(before: commands[index])
    return true
  }

  /// Take what has run out from the queues. Gives the commands that ran out.
  @discardableResult
  package mutating func expireDue(at wall: Int64) -> [CommandID] {
    let age = countedAge(wall)
    noteAge()
    let due = commands.indices.filter {
      commands[$0].status == .queued && commands[$0].expiresAt.map { $0 <= age } ?? false
    }.sorted { commands[$0].id < commands[$1].id }
    for index in due {
      take(index, to: .expired, as: .expired)
      restoreRule(before: commands[index])
    }
    return due.map { commands[$0].id }
  }

  /// Milliseconds until the next command runs out; nil when none can.
  package func untilNextExpiry() -> Int64? {
    commands.filter { $0.status == .queued }.compactMap(\.expiresAt).min().map { max(0, $0 - age) }
  }

  func hasExpired(_ device: DeviceID) -> Bool {
    let age = sources.fault == .ageOnWallClock ? 0 : age
    return commands.contains { $0.target == device && $0.status == .queued && $0.expiresAt.map { $0 <= age } ?? false }
  }

  /// The age that a deliberate fault takes from the wrong clock.
  private func countedAge(_ wall: Int64) -> Int64 { sources.fault == .ageOnWallClock ? wall : age }

  private mutating func take(_ index: Int, to status: CommandStatus, as fate: DeliveryFate) {
    commands[index].status = status
    guard let place = try? place(commands[index].target) else { return }
    withdraw(place, .command, commands[index].sequence, itemID: commands[index].id.bytes, as: fate)
  }

  private mutating func supersede(_ key: String, for device: DeviceID, _ previous: inout AppConfiguration?) {
    for index in commands.indices
    where commands[index].target == device && commands[index].status == .queued && commands[index].supersedeKey == key {
      take(index, to: .superseded, as: .superseded)
      previous = commands[index].previous
    }
  }

  /// A rule whose command was taken back is no longer wanted: show what was shown before it, unless something else is by now.
  mutating func restoreRule(before command: ModelCommand) {
    guard let app = command.payload.app else { return }
    let shown = rules[command.target]?[app]
    if case .setApp(let rule) = command.payload {
      guard shown?.modified == rule.modified else { return }
    } else {
      guard shown == nil else { return }
    }
    rules[command.target, default: [:]][app] = command.previous
  }

  /// The next reading of this device's hybrid clock.
  mutating func tick(_ wall: Int64) -> HybridTimestamp {
    let next = HybridTimestamp.next(after: hybrid, wall: wall, author: own)
    hybrid = next
    return next
  }

  mutating func witness(_ wall: Int64, _ counter: UInt32) {
    if let hybrid, (hybrid.wall, hybrid.counter) >= (wall, counter) { return }
    hybrid = HybridTimestamp(wall: wall, counter: counter, author: own)
  }
}

extension CommandPayload {
  /// The application it is about, if it is about one.
  var app: AppID? {
    switch self {
    case .setApp(let rule): rule.appID
    case .removeApp(let id, _): id
    case .setFamilySettings, .requestReport, .message, .unpair: nil
    }
  }
}
