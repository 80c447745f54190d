import LatchkeyModel

/// Commands on the side that gives them.
///
/// Spec: Protocol/05-delivery.md §9, §10.
extension ModelStore {
  /// Stores a command: its row, its place in the outbox and the rule that it sets here.
  package mutating func issue(
    _ id: CommandID, to device: DeviceID, expiresAfter: Int64? = nil, at wall: Int64,
    payload make: (HybridTimestamp) -> CommandPayload
  ) throws(ModelStoreFault) -> ModelChange {
    let place = try place(device)
    guard peers[place].state == .active else { throw .noSuchPeer }
    let payload = make(tick(wall))
    let desired = payload.desired
    holdings.begin(author: own, at: wall, usage: usage.count)
    let body = coding.encode(CommandBody(commandID: id, author: own, createdAt: wall, payload: payload))
    var previous = desired.map { shown($0.thing, device) }
    if let desired { supersede(desired.thing, for: device, &previous) }
    let change = try enqueue(place, .command, kind: .command, itemID: id.bytes, body: body, caps: caps)
    let lifetime = expiresAfter.map { $0 == 0 ? nil : $0 } ?? payload.usualLifetime
    if lifetime != nil { noteAge() }
    commands.append(
      ModelCommand(
        id: id, target: device, payload: payload, body: body, sequence: change.last, epoch: change.epoch,
        supersedeKey: desired?.thing.key,
        previous: previous, expiresAt: lifetime.map { countedAge(wall) + $0 }, order: nextOrder(),
        pairing: peers[place].pairing))
    if let desired { show(desired.shown, desired.thing, device) }
    return change
  }

  /// Cancels a command before it is stored on the child.
  ///
  /// It returns whether this call cancelled it.
  package mutating func cancel(_ id: CommandID) -> Bool {
    guard let index = commands.firstIndex(where: { $0.id == id }), commands[index].status == .queued else {
      return false
    }
    take(index, to: .cancelled, as: .cancelled)
    restoreShown(before: commands[index])
    return true
  }

  /// Removes expired commands from the queues.
  ///
  /// It returns their IDs.
  @discardableResult
  package mutating func expireDue(at wall: Int64) -> [CommandID] {
    let age = countedAge(wall)
    noteAge()
    let due = commands.indices.filter {
      commands[$0].status == .queued && commands[$0].expiresAt.map { $0 <= age } ?? false
    }.sorted { commands[$0].id < commands[$1].id }
    for index in due {
      take(index, to: .expired, as: .expired)
      restoreShown(before: commands[index])
    }
    return due.map { commands[$0].id }
  }

  /// Returns the milliseconds until the next command expires; `nil` if none can.
  package func untilNextExpiry() -> Int64? {
    let due = commands.filter { $0.status == .queued }.compactMap(\.expiresAt) + pending.map(\.dueAt)
    return due.min().map { max(0, $0 - age) }
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

  // MARK: Shown states

  func shown(_ thing: any HouseholdThing, _ device: DeviceID) -> ShownState {
    var holdings = holdings
    return inMemory { try thing.shown(on: device, in: &holdings) }
  }

  mutating func show(_ shown: ShownState, _ thing: any HouseholdThing, _ device: DeviceID) {
    inMemory { try thing.show(shown, on: device, isNews: true, in: &holdings) }
  }

  private mutating func supersede(
    _ thing: any HouseholdThing, for device: DeviceID, _ shown: inout ShownState?
  ) {
    let queued = commands.indices.filter {
      commands[$0].target == device && commands[$0].status == .queued && commands[$0].supersedeKey == thing.key
    }
    for index in queued.sorted(by: { commands[$0].id > commands[$1].id }) {
      take(index, to: .superseded, as: .superseded)
      guard thing.isFamilyWide, let desired = commands[index].payload.desired else {
        shown = commands[index].previous
        continue
      }
      unlink(commands[index], desired)
      if shown?.state == desired.shown.state { shown = commands[index].previous }
    }
  }

  /// Links the commands issued after one that leaves its queue to the state that was shown before it.
  private mutating func unlink(_ command: ModelCommand, _ desired: DesiredState) {
    guard desired.thing.isFamilyWide else { return }
    for index in commands.indices
    where commands[index].supersedeKey == desired.thing.key && commands[index].status == .queued
      && commands[index].previous.map({ $0.state == desired.shown.state }) ?? false
    {
      commands[index].previous = command.previous
    }
  }

  /// Restores the state shown before a cancelled command, unless another is shown by now.
  mutating func restoreShown(before command: ModelCommand) {
    guard let desired = command.payload.desired else { return }
    unlink(command, desired)
    guard shown(desired.thing, command.target).state == desired.shown.state else { return }
    show(command.previous ?? shownLast(desired.thing, command.target), desired.thing, command.target)
  }

  /// Returns the state that the last other command for a thing set.
  private func shownLast(_ thing: any HouseholdThing, _ device: DeviceID) -> ShownState {
    let last = commands.filter {
      $0.supersedeKey == thing.key && ($0.target == device || thing.isFamilyWide)
        && [.queued, .stored, .executed].contains($0.status)
    }.max { $0.id < $1.id }
    return last?.payload.desired?.shown ?? ShownState(nil)
  }

  /// Sets the state to show if a newer waiting command is cancelled.
  mutating func note(_ shown: ShownState, before desired: DesiredState, _ device: DeviceID) {
    for index in commands.indices
    where commands[index].status == .queued && commands[index].supersedeKey == desired.thing.key {
      if desired.thing.isFamilyWide {
        guard let newer = commands[index].payload.desired, newer.modified > desired.modified,
          commands[index].previous?.state?.setAt.map({ $0 < desired.modified }) ?? true
        else { continue }
      } else if commands[index].target != device {
        continue
      }
      commands[index].previous = shown
    }
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
