import LatchkeyModel

/// Commands on the side that gives them.
///
/// Spec: Protocol/05-delivery.md §9, §10.
extension ModelStore {
  /// Make a command durable: its row, its place in the outbox and the rule it sets here.
  package mutating func issue(
    _ id: CommandID, to device: DeviceID, expiresAfter: Int64? = nil, at wall: Int64,
    payload make: (HybridTimestamp) -> CommandPayload
  ) throws(ModelStoreFault) -> ModelChange {
    let place = try place(device)
    guard peers[place].state == .active else { throw .noSuchPeer }
    return try issue(id, make(tick(wall)), to: place, expiresAfter: expiresAfter, at: wall)
  }

  /// Makes a command durable whose payload is complete.
  mutating func issue(
    _ id: CommandID, _ payload: CommandPayload, to place: Int, expiresAfter: Int64?, at wall: Int64
  ) throws(ModelStoreFault) -> ModelChange {
    let device = peers[place].device
    let desired = payload.desired
    holdings.begin(author: own, at: wall, usage: usage.count)
    let body = coding.encode(CommandBody(commandID: id, author: own, createdAt: wall, payload: payload))
    var previous = desired.map { shown($0.thing, device) }
    if let desired { supersede(desired.thing, by: id, for: device, &previous) }
    let change = try enqueue(place, .command, kind: .command, itemID: id.bytes, body: body, caps: caps)
    let lifetime = expiresAfter.map { $0 == 0 ? nil : $0 } ?? payload.usualLifetime
    if lifetime != nil { noteAge() }
    commands.append(
      ModelCommand(
        id: id, target: device, payload: payload, body: body, sequence: change.last, epoch: change.epoch,
        supersedeKey: desired?.thing.key,
        previous: previous, expiresAt: lifetime.map { countedAge(wall) + $0 }, orders: [nextOrder()],
        pairing: peers[place].pairing))
    if let desired { show(desired.shown, desired.thing, device) }
    return change
  }

  /// Takes a command back before it is stored on the child, and queues again the earlier one that it had replaced.
  ///
  /// - Returns: whether this call did, and what became of earlier ones.
  package mutating func cancel(_ id: CommandID, at wall: Int64) throws(ModelStoreFault) -> ModelTakenBack? {
    guard let index = commands.firstIndex(where: { $0.id == id }), commands[index].status == .queued else { return nil }
    let taken = try takeBack(index, to: .cancelled, as: .cancelled, age: countedAge(wall))
    if !taken.expired.isEmpty { noteAge() }
    return taken
  }

  /// Takes what has run out from the queues, and queues again what that had replaced.
  ///
  /// - Returns: the commands that ran out, and the streams in which earlier ones are queued again.
  @discardableResult
  package mutating func expireDue(
    at wall: Int64
  ) throws(ModelStoreFault) -> (commands: [CommandID], changes: [ModelChange]) {
    let age = countedAge(wall)
    noteAge()
    let due = commands.indices.filter {
      commands[$0].status == .queued && commands[$0].expiresAt.map { $0 <= age } ?? false
    }.sorted { commands[$0].id < commands[$1].id }
    var expired: [CommandID] = []
    var changes: [ModelChange] = []
    for index in due {
      let taken = try takeBack(index, to: .expired, as: .expired, age: age)
      expired += [commands[index].id] + taken.expired
      if let change = taken.change { changes.append(change) }
    }
    return (expired, changes)
  }

  /// Takes a queued command from its queue for good, and queues again the earlier one that it had replaced.
  private mutating func takeBack(
    _ first: Int, to status: CommandStatus, as fate: DeliveryFate, age: Int64
  ) throws(ModelStoreFault) -> ModelTakenBack {
    var taken = ModelTakenBack()
    var (index, status, fate) = (first, status, fate)
    while true {
      let older = sources.fault == .forgetReplaced ? nil : replaced(by: commands[index].id)
      take(index, to: status, as: fate)
      restoreShown(before: commands[index], older: older)
      guard let older else { return taken }
      taken.change = try queueAgain(older)
      guard let due = commands[older].expiresAt, due <= age else {
        taken.queuedAgain = commands[older].id
        return taken
      }
      taken.expired.append(commands[older].id)
      (index, status, fate) = (older, .expired, .expired)
    }
  }

  /// The newest of the unanswered commands whose place a command has taken; it takes the place of the others.
  private mutating func replaced(by newer: CommandID) -> Int? {
    let older = commands.indices.filter { commands[$0].replacedBy == newer && commands[$0].status == .superseded }
      .max { commands[$0].id < commands[$1].id }
    guard let older else { return nil }
    for index in commands.indices where index != older && commands[index].replacedBy == newer {
      commands[index].replacedBy = commands[older].id
    }
    return older
  }

  private mutating func queueAgain(_ index: Int) throws(ModelStoreFault) -> ModelChange {
    let (command, place) = (commands[index], try place(commands[index].target))
    let change = try enqueue(
      place, .command, kind: .command, itemID: command.id.bytes, body: command.body,
      caps: QueueCaps(items: .max, bytes: .max))
    if command.epoch != nil { tally(place, .command, .superseded, -1) }
    (commands[index].status, commands[index].replacedBy) = (.queued, nil)
    (commands[index].sequence, commands[index].epoch) = (change.last, change.epoch)
    commands[index].orders.append(nextOrder())
    return change
  }

  /// Milliseconds until the next command runs out; nil when none can.
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

  private mutating func take(
    _ index: Int, to status: CommandStatus, as fate: DeliveryFate, replacedBy newer: CommandID? = nil
  ) {
    (commands[index].status, commands[index].replacedBy) = (status, newer)
    guard let place = try? place(commands[index].target) else { return }
    withdraw(place, .command, commands[index].sequence, itemID: commands[index].id.bytes, as: fate)
  }

  // MARK: What is shown

  package func shown(_ thing: any HouseholdThing, _ device: DeviceID) -> ShownState {
    var holdings = holdings
    return inMemory { try thing.shown(on: device, in: &holdings) }
  }

  mutating func show(_ shown: ShownState, _ thing: any HouseholdThing, _ device: DeviceID) {
    inMemory { try thing.show(shown, on: device, isNews: true, in: &holdings) }
  }

  private mutating func supersede(
    _ thing: any HouseholdThing, by newer: CommandID, for device: DeviceID, _ shown: inout ShownState?
  ) {
    let queued = commands.indices.filter {
      commands[$0].target == device && commands[$0].status == .queued && commands[$0].supersedeKey == thing.key
    }
    for index in queued.sorted(by: { commands[$0].id > commands[$1].id }) {
      take(index, to: .superseded, as: .superseded, replacedBy: newer)
      guard thing.isFamilyWide, let desired = commands[index].payload.desired else {
        shown = commands[index].previous
        continue
      }
      unlink(commands[index], desired)
      if shown?.state == desired.shown.state { shown = commands[index].previous }
    }
  }

  /// Commands that were given on top of one that leaves its queue are now on top of what was shown before that one.
  private mutating func unlink(_ command: ModelCommand, _ desired: DesiredState) {
    guard desired.thing.isFamilyWide else { return }
    for index in commands.indices
    where commands[index].supersedeKey == desired.thing.key && commands[index].status == .queued
      && commands[index].previous.map({ $0.state == desired.shown.state }) ?? false
    {
      commands[index].previous = command.previous
    }
  }

  /// Shows what a command leaves behind that is taken back.
  ///
  /// That is what the earlier one sets that is queued again, or what was shown before. What has been shown since stays.
  private mutating func restoreShown(before command: ModelCommand, older: Int?) {
    guard let desired = command.payload.desired else { return }
    unlink(command, desired)
    let present = shown(desired.thing, command.target)
    // A removal has no state to show: if nothing is shown, that may be due to a later command that holds.
    let isShown = present.state == desired.shown.state && (present.state != nil || !isReplaced(command))
    var shown = isShown ? command.previous ?? shownLast(desired.thing, command.target) : present
    if let older, let again = commands[older].payload.desired {
      if isShown || shown.state != nil, shown.state?.setAt.map({ $0 < again.modified }) ?? true {
        commands[older].previous = shown
        shown = again.shown
      } else if desired.thing.isFamilyWide {
        let above = commands.indices.filter { isAbove(again, commands[$0]) }
        let next = above.min { modified(commands[$0]) < modified(commands[$1]) }
        if let next {
          commands[older].previous = commands[next].previous ?? ShownState(nil)
          commands[next].previous = again.shown
        }
      }
    }
    guard isShown || shown.state != present.state else { return }
    show(shown, desired.thing, command.target)
  }

  private func modified(_ command: ModelCommand) -> HybridTimestamp { command.payload.desired?.modified ?? .never }

  /// Whether a command for the whole family waits that is newer than a state and stands on an older one.
  private func isAbove(_ desired: DesiredState, _ command: ModelCommand) -> Bool {
    command.status == .queued && command.supersedeKey == desired.thing.key && modified(command) > desired.modified
      && command.previous?.state?.setAt.map { $0 < desired.modified } ?? true
  }

  /// What the last other command for a thing set.
  private func shownLast(_ thing: any HouseholdThing, _ device: DeviceID) -> ShownState {
    let last = commands.filter {
      $0.supersedeKey == thing.key && ($0.target == device || thing.isFamilyWide)
        && [.queued, .stored, .executed].contains($0.status)
    }.max { $0.id < $1.id }
    return last?.payload.desired?.shown ?? ShownState(nil)
  }

  /// Sets what is shown again if a newer command that waits is taken back.
  mutating func note(_ shown: ShownState, before desired: DesiredState, _ device: DeviceID) {
    for index in commands.indices
    where commands[index].status == .queued && commands[index].supersedeKey == desired.thing.key {
      let isWanted = desired.thing.isFamilyWide ? isAbove(desired, commands[index]) : commands[index].target == device
      if isWanted { commands[index].previous = shown }
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
