import LatchkeyModel

/// Commands at their sender.
///
/// Spec: Protocol/05-delivery.md §9, §10.
extension ModelStore {
  /// Makes a command durable, with its place in the outbox.
  package mutating func issue(
    _ id: CommandID, _ payload: CommandPayload, to device: DeviceID, expiresAfter: Int64? = nil, at wall: Int64
  ) throws(ModelStoreFault) -> ModelChange {
    let place = try place(device)
    guard peers[place].state == .active else { throw .noSuchPeer }
    return try issue(id, payload, to: place, expiresAfter: expiresAfter, at: wall)
  }

  mutating func issue(
    _ id: CommandID, _ payload: CommandPayload, to place: Int, expiresAfter: Int64?, at wall: Int64
  ) throws(ModelStoreFault) -> ModelChange {
    let body = coding.encode(CommandBody(commandID: id, author: own, createdAt: wall, payload: payload))
    let change = try enqueue(place, .command, kind: .command, itemID: id.bytes, body: body, caps: caps)
    let lifetime = expiresAfter.map { $0 == 0 ? nil : $0 } ?? payload.usualLifetime
    if lifetime != nil { noteAge() }
    commands.append(
      ModelCommand(
        id: id, target: peers[place].device, payload: payload, body: body, sequence: change.last, epoch: change.epoch,
        expiresAt: lifetime.map { countedAge(wall) + $0 }, order: nextOrder(), pairing: peers[place].pairing))
    return change
  }

  /// Cancels a command before it is stored on the child.
  ///
  /// - Returns: A Boolean value that indicates whether this call cancelled it.
  package mutating func cancel(_ id: CommandID) -> Bool {
    guard let index = commands.firstIndex(where: { $0.id == id }), commands[index].status == .queued else {
      return false
    }
    take(index, to: .cancelled, as: .cancelled)
    return true
  }

  /// Removes expired commands from the queues.
  ///
  /// - Returns: The expired commands.
  @discardableResult
  package mutating func expireDue(at wall: Int64) -> [CommandID] {
    let age = countedAge(wall)
    noteAge()
    let due = commands.indices.filter {
      commands[$0].status == .queued && commands[$0].expiresAt.map { $0 <= age } ?? false
    }.sorted { commands[$0].id < commands[$1].id }
    for index in due { take(index, to: .expired, as: .expired) }
    return due.map { commands[$0].id }
  }

  /// Returns the milliseconds until the next command expires; `nil` if none can expire.
  package func untilNextExpiry() -> Int64? {
    let due = commands.filter { $0.status == .queued }.compactMap(\.expiresAt) + pending.map(\.dueAt)
    return due.min().map { max(0, $0 - age) }
  }

  func hasExpired(_ device: DeviceID) -> Bool {
    let age = sources.fault == .ageOnWallClock ? 0 : age
    return commands.contains { $0.target == device && $0.status == .queued && $0.expiresAt.map { $0 <= age } ?? false }
  }

  /// Returns the age by a deliberate fault, which reads the wrong clock.
  private func countedAge(_ wall: Int64) -> Int64 { sources.fault == .ageOnWallClock ? wall : age }

  private mutating func take(_ index: Int, to status: CommandStatus, as fate: DeliveryFate) {
    commands[index].status = status
    guard let place = try? place(commands[index].target) else { return }
    withdraw(place, .command, commands[index].sequence, itemID: commands[index].id.bytes, as: fate)
  }

  /// Advances this device's hybrid clock and returns its reading.
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
