import LatchkeyModel
import LatchkeyProtocol

/// The oracle, which knows everything and reports the first violation.
///
/// After every step: nothing is reported before it is durable, nothing is deleted before it is in force at the other
/// side, nothing takes effect twice or out of order, windows and limits are observed, a removed device applies nothing,
/// no honest device is accused, and no stream restarts unless a machine was restored to an older state.
final class Oracle {
  private unowned let simulation: Simulation
  private var pasts: [Couple: CouplePast] = [:]
  private var cloned: Set<DeviceID> = []
  /// The times at which commands were issued, on a clock of their node that continues over boots.
  private var issuedAt: [CommandID: (at: Int64, lifetime: Int64?)] = [:]
  private var lastOrder: [Couple: (pairing: Int, order: Int)] = [:]
  /// The peers' runs that a link knows of, by the run that the link belongs to and the peer.
  private var runs: [[UInt8]: (present: [UInt8], past: Set<[UInt8]>)] = [:]
  private var furthestSent: [String: UInt64] = [:]
  /// Connections that a device kept, each with the one that made way for it.
  private var kept: [DeviceID: Set<[Int]>] = [:]
  /// The times at which devices were last restored, and at which links opened their last sessions.
  private var setBackAt: [DeviceID: Int64] = [:]
  private var openedAt: [DeviceID: [DeviceID: Int64]] = [:]
  /// Items that were taken out of a queue before the peer was known to have stored them, by sender and peer.
  private var withdrawn: [Couple: Set<[UInt8]>] = [:]

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  private var scenario: Scenario { simulation.scenario }

  func couple(_ one: DeviceID, _ other: DeviceID) -> Couple {
    simulation.node(one)?.role == .parent ? Couple(parent: one, child: other) : Couple(parent: other, child: one)
  }

  func past(_ couple: Couple) -> CouplePast { pasts[couple] ?? CouplePast() }

  /// Returns whether two machines are durably paired on both sides with a common key.
  func isCouple(_ parent: SimulatedNode, _ child: SimulatedNode) -> Bool {
    guard let one = parent.store.peer(child.device), let other = child.store.peer(parent.device) else { return false }
    guard one.state == .active, other.state == .active, !one.isQuarantined, !other.isQuarantined,
      let oneKey = one.sessionKey, let otherKey = other.sessionKey
    else { return false }
    return other.callingKeys.contains(oneKey) && one.callingKeys.contains(otherKey)
  }

  /// Returns whether two restored machines cannot open a session any more, although one of them expects to.
  func isSplit(_ parent: SimulatedNode, _ child: SimulatedNode) -> Bool {
    guard past(Couple(parent: parent.device, child: child.device)).isSetBack, !isCouple(parent, child) else {
      return false
    }
    let states = [parent.store.peer(child.device), child.store.peer(parent.device)]
    return !states.contains { $0?.state == .removedUntold || $0?.isQuarantined == true }
      && states.contains { $0?.state == .active || $0?.pendingKey != nil }
  }

  // MARK: What people and trouble do

  func issued(_ id: CommandID, _ node: SimulatedNode, _ lifetime: Int64?) {
    issuedAt[id] = (node.trueAge, lifetime)
  }

  func pairs(_ parent: SimulatedNode, _ child: SimulatedNode) {
    let couple = Couple(parent: parent.device, child: child.device)
    guard let one = parent.store.peer(child.device), let other = child.store.peer(parent.device) else {
      if parent.store.peer(child.device) != nil || child.store.peer(parent.device) != nil {
        pasts[couple, default: CouplePast()].isPairedAnew = true
      }
      return
    }
    pasts[couple, default: CouplePast()].isPairedAnew = true
    // A side that regards the other as removed begins new streams; both must do so, or neither.
    if one.outgoing.isEmpty != other.outgoing.isEmpty || one.state != other.state || one.pendingKey != nil
      || other.pendingKey != nil
    {
      pasts[couple, default: CouplePast()].isUneven = true
    }
  }

  /// One of the two has closed its streams, the other not yet.
  func removes(_ other: DeviceID, of device: DeviceID, _ store: ModelStore) {
    guard store.peer(other) != nil else { return }
    let couple = couple(device, other)
    pasts[couple, default: CouplePast()].isUneven = true
    let isHalf = store.peer(other)?.pendingKey != nil || simulation.node(other)?.store.peer(device)?.pendingKey != nil
    if isHalf { pasts[couple, default: CouplePast()].wasRemovedHalfPaired = true }
  }

  func setsBack(_ node: SimulatedNode) {
    setBackAt[node.device] = simulation.now
    for other in simulation.nodes where other.role != node.role {
      pasts[couple(node.device, other.device), default: CouplePast()].setBacks += 1
    }
  }

  func clones(_ node: SimulatedNode) {
    setsBack(node)
    cloned.insert(node.device)
  }

  // MARK: After each transaction

  /// A transaction has become durable.
  func committed(_ node: SimulatedNode, _ before: ModelStore, with peer: DeviceID?) {
    let after = node.store
    for place in after.peers.indices where peer == nil || after.peers[place].device == peer {
      let present = after.peers[place]
      let old = before.peers.indices.contains(place) ? before.peers[place] : nil
      checkOutgoing(node, present, old)
      if present.state == .removed, !present.outgoing.isEmpty || !present.incoming.isEmpty {
        simulation.fail("\(node.name) holds streams with \(simulation.name(present.device)), which is removed")
      }
    }
    if after.effects.count > before.effects.count { checkEffects(node, before) }
    if after.outcomes.count > before.outcomes.count { checkOutcomes(node, before) }
    if scenario.locks, node.role == .parent, let peer { checkLocks(node, peer, before) }
    if after.usage.count > before.usage.count, node.role == .parent, let peer, before.peer(peer)?.state != .active,
      after.peer(peer)?.state != .active
    {
      simulation.fail("\(node.name) took usage from \(simulation.name(peer)), which it had removed")
    }
  }

  private func checkOutgoing(_ node: SimulatedNode, _ present: ModelPeer, _ old: ModelPeer?) {
    for (streamClass, stream) in present.sending {
      let word = "\(node.name)→\(simulation.name(present.device)) \(streamClass.word)"
      if stream.waitingItems != Int64(stream.items.count) { simulation.fail("\(word): items are counted wrong") }
      let caps = streamClass == .receipt ? node.store.receiptCaps : scenario.caps
      if streamClass != .control, !stream.wasRestarted,
        stream.waitingItems > caps.items || stream.waitingBytes > caps.bytes
      {
        simulation.fail("\(word): \(stream.waitingItems) items and \(stream.waitingBytes) bytes are over the cap")
      }
      guard let before = old?.outgoing[streamClass], before.epoch == stream.epoch else {
        if stream.wasRestarted, !past(couple(node.device, present.device)).mayRestart {
          simulation.fail("\(word) was begun anew though nobody was set back")
        }
        continue
      }
      noteWithdrawn(node, present, before, stream)
      if stream.storedThrough > before.storedThrough {
        checkForgotten(node, present, streamClass, before, through: stream.storedThrough)
      }
    }
  }

  private func noteWithdrawn(
    _ node: SimulatedNode, _ present: ModelPeer, _ before: ModelPeer.Outgoing, _ after: ModelPeer.Outgoing
  ) {
    guard scenario.setsBack else { return }
    let left = Set(after.items.map(\.itemID))
    for item in before.items where item.sequence > after.storedThrough && !left.contains(item.itemID) {
      withdrawn[Couple(parent: node.device, child: present.device), default: []].insert(item.itemID)
    }
  }

  /// Checks that items that a sender deletes are durably in force at the receiver.
  private func checkForgotten(
    _ node: SimulatedNode, _ peer: ModelPeer, _ streamClass: StreamClass, _ before: ModelPeer.Outgoing, through: UInt64
  ) {
    let couple = couple(node.device, peer.device)
    let word = "\(node.name)→\(simulation.name(peer.device)) \(streamClass.word)"
    guard let receiver = simulation.node(peer.device), !cloned.contains(node.device), !cloned.contains(peer.device)
    else { return }
    let there = receiver.store.peer(node.device)
    guard let held = there?.incoming[streamClass], held.epoch == before.epoch, held.watermark >= through else {
      // A receiver that was set back meanwhile, or has closed its streams, had it when it said so.
      if !past(couple).mayRestart, there?.state == .active, there?.pairing == peer.pairing {
        simulation.fail("\(word): number \(through) was forgotten before it was in force")
      }
      return
    }
    // A receiver that was set back since the session began had it when it said so; its next Hello tells of another item.
    if let setBack = setBackAt[peer.device], setBack >= openedAt[node.device]?[peer.device] ?? 0 { return }
    for item in before.items where item.sequence <= through && !isInForce(item, at: receiver) {
      if past(couple).hasUnnoticedNumbers { return }
      // It was taken out of the queue in a past that its sender has lost: Protocol/05-delivery.md §8.
      if past(couple).isSetBack,
        withdrawn[Couple(parent: node.device, child: peer.device)]?.contains(item.itemID) == true
      {
        pasts[couple, default: CouplePast()].hasUnnoticedNumbers = true
        return
      }
      simulation.fail("\(word): number \(item.sequence) was forgotten and is not in force")
    }
  }

  private func isInForce(_ item: ModelItem, at receiver: SimulatedNode) -> Bool {
    switch item.kind {
    case .command: CommandID(bytes: item.itemID).map { receiver.store.receipts[$0] != nil } ?? true
    case .usageRecord: RecordID(bytes: item.itemID).map { receiver.store.usage[$0] != nil } ?? true
    case .usageLoss: RecordID(bytes: item.itemID).map { receiver.store.losses[$0] != nil } ?? true
    default: true
    }
  }

  private func checkEffects(_ node: SimulatedNode, _ before: ModelStore) {
    for effect in node.store.effects.dropFirst(before.effects.count) {
      let author = simulation.name(effect.author)
      if before.effects.contains(where: { $0.id == effect.id }) {
        simulation.fail("a command of \(author) took effect twice on \(node.name)")
      }
      // A session with the key of a half-made pairing proves that it is final, and what it brings is taken at once.
      let states = [before, node.store].map { $0.peer(effect.author)?.state }
      if !states.contains(where: { $0 == .active || $0 == .pending }) {
        simulation.fail("a command of \(author) took effect on \(node.name), which had removed it")
      }
      let couple = Couple(parent: effect.author, child: node.device)
      guard !past(couple).isSetBack, let parent = simulation.node(effect.author),
        let command = parent.store.commands.first(where: { $0.id == effect.id })
      else { continue }
      if !past(couple).mayRestart, let last = lastOrder[couple], last.pairing == effect.pairing,
        last.order > command.order
      {
        simulation.fail("commands of \(author) took effect on \(node.name) in another order than they were given")
      }
      lastOrder[couple] = (effect.pairing, command.order)
    }
  }

  /// An effect has one outcome, and none once a later command for its thing is in force.
  private func checkOutcomes(_ node: SimulatedNode, _ before: ModelStore) {
    for outcome in node.store.outcomes.dropFirst(before.outcomes.count) {
      guard setBackAt[node.device] == nil, !cloned.contains(node.device),
        let effect = before.pending.first(where: { $0.id == outcome.id })
      else { continue }
      if before.outcomes.contains(where: { $0.id == outcome.id }) {
        simulation.fail("an effect on \(node.name) was carried out twice")
      }
      guard outcome.isDone, let desired = effect.payload.desired else { continue }
      let held = node.store.shown(desired.thing, node.device).state
      if let held, desired.isOlder(than: held) {
        simulation.fail("an effect was carried out on \(node.name) that a later command had replaced")
      }
    }
  }

  /// A command counts as executed once its effect has an outcome, and not before.
  private func checkLocks(_ node: SimulatedNode, _ peer: DeviceID, _ before: ModelStore) {
    guard let child = simulation.node(peer), setBackAt[peer] == nil, !cloned.contains(peer) else { return }
    let known = Dictionary(before.commands.map { ($0.id, $0.status) }) { first, _ in first }
    for command in node.store.commands
    where command.status == .executed && known[command.id] != .executed
      && child.store.pending.contains(where: { $0.id == command.id })
    {
      simulation.fail("a command of \(node.name) counts as executed while its effect on \(child.name) is under way")
    }
  }

  /// Commands that were ended because of their age.
  func expired(_ node: SimulatedNode, _ ids: [CommandID]?) {
    for id in ids ?? [] {
      guard let issued = issuedAt[id], let lifetime = issued.lifetime ?? Optional(Limits.oneShotMilliseconds),
        let target = node.store.commands.first(where: { $0.id == id })?.target,
        !past(Couple(parent: node.device, child: target)).isSetBack
      else { continue }
      if node.trueAge - issued.at < lifetime {
        simulation.fail("\(node.name): a command expired after \(node.trueAge - issued.at) of \(lifetime) ms")
      }
    }
  }

  // MARK: In sessions

  /// A Hello was looked at: whether numbers were given out twice that nothing tells apart (Protocol/05-delivery.md §8).
  func greets(_ link: LinkRunner, _ hello: Hello, _ foreign: Set<StreamClass>) {
    let couple = couple(link.node.device, link.peer)
    guard past(couple).isSetBack, simulation.fault != .ignoreHeldItems, let peer = link.node.store.peer(link.peer),
      let receiver = simulation.node(link.peer)
    else { return }
    for position in hello.incoming where !foreign.contains(position.streamClass) {
      guard let stream = peer.outgoing[position.streamClass], stream.epoch == position.epoch else { continue }
      let held = hello.held.first { $0.streamClass == position.streamClass }?.sequence ?? 0
      let isKnown = held > 0 && (stream.storedItem == held || stream.items.contains { $0.sequence == held })
      // A copy may have answered the same command under the same number.
      let isTwin = stream.items.first { $0.sequence == held }.map { !isInForce($0, at: receiver) } ?? false
      if !isKnown || isTwin,
        stream.items.contains(where: { $0.sequence <= position.through && !isInForce($0, at: receiver) })
      {
        pasts[couple, default: CouplePast()].hasUnnoticedNumbers = true
      }
    }
  }

  /// A batch is about to be sent: what it says is durable has to be.
  func sends(_ link: LinkRunner, _ batch: SessionBatch) {
    guard !batch.stored.isEmpty || batch.hello != nil, let peer = link.node.store.peer(link.peer), peer.state == .active
    else { return }
    for position in batch.stored + (batch.hello?.incoming ?? []) where position.through > 0 {
      let held = peer.incoming[position.streamClass]
      let isTrue = held.map { $0.epoch == position.epoch && $0.watermark >= position.through } ?? false
      if !isTrue, !past(couple(link.node.device, link.peer)).mayRestart,
        !past(couple(link.node.device, link.peer)).isPairedAnew
      {
        simulation.fail(
          "\(link.name) says that \(position.streamClass.word) is stored through \(position.through), which is not durable"
        )
      }
    }
  }

  /// A run was sent: the receiver's window is held.
  func sent(_ link: LinkRunner, _ run: ItemRun, _ session: LinkSeat) {
    if session.epochs.updateValue(run.epoch, forKey: run.streamClass) != run.epoch {
      session.onTheWay[run.streamClass] = []
    }
    let onTheWay = (session.onTheWay[run.streamClass] ?? []) + run.items
    session.onTheWay[run.streamClass] = onTheWay
    let bytes = onTheWay.dropLast().reduce(0) { $0 + $1.cost }
    if onTheWay.count > session.windowItems || bytes >= session.windowBytes && onTheWay.count > 1 {
      simulation.fail("\(link.name): \(onTheWay.count) items and \(bytes) bytes beside the last are over the window")
    }
    if let last = run.items.last?.skipThrough {
      let key = "\(link.name) \(run.streamClass) \(run.epoch)"
      furthestSent[key] = max(furthestSent[key] ?? 0, last)
    }
  }

  /// Returns the position of a sender that remembered the items of an earlier session.
  func furthest(_ link: LinkRunner, _ load: OutboxMachine.Load) -> UInt64 {
    let sent = furthestSent["\(link.name) \(load.streamClass) \(load.epoch)"] ?? 0
    let last = link.node.store.peer(link.peer)?.outgoing[load.streamClass]?.last ?? 0
    return sent + 1 <= last ? max(load.from, sent + 1) : load.from
  }

  func gathers(_ link: LinkRunner, _ runs: [ItemRun]) {
    for streamClass in StreamClass.allCases {
      let items = runs.filter { $0.streamClass == streamClass }.reduce(0) { $0 + $1.items.count }
      if items > Limits.windowItems { simulation.fail("\(link.name) gathers \(items) items") }
    }
  }

  func opened(_ link: LinkRunner) {
    openedAt[link.node.device, default: [:]][link.peer] = simulation.now
    let (sessions, sightings) = (link.machine.sessions.count, link.machine.notes.sightings.count)
    if sessions > 40 { simulation.fail("\(link.name) has \(sessions) sessions") }
    if sightings > 100 { simulation.fail("\(link.name) has not noted \(sightings) sessions") }
  }

  /// Checks that a link has done everything that was due, and records when it is due next.
  func timerFired(_ link: LinkRunner, next: BootInstant?) {
    guard let next, next <= link.node.now else { return }
    simulation.fail("\(link.name) has done what was due, and asks for a moment that is \(link.node.now - next) ms ago")
  }

  /// A session is open: a second later the link knows at least of the items that are durable by now.
  func opens(_ link: LinkRunner) {
    guard let streams = link.node.store.peer(link.peer)?.outgoing else { return }
    link.node.act(after: 1_000_000) { [unowned self, weak link] in
      // Parts of a commit are told together, once the last of them is durable or refused.
      guard let link, link.node.link(link.peer) === link, !link.machine.inbox.isCommitting else { return }
      for (streamClass, stream) in streams {
        guard let known = link.machine.outbox.positions[streamClass], known.epoch == stream.epoch,
          known.last < stream.last
        else { continue }
        simulation.fail("\(link.name) does not know of number \(stream.last) of \(streamClass.word), which is durable")
      }
    }
  }

  /// Checks that a link does not keep one session while its peer keeps the other.
  func keeps(_ link: LinkRunner, _ connection: Connection, insteadOf other: Connection?) {
    guard let other else { return }
    kept[link.node.device, default: []].insert([connection.number, other.number])
    if kept[link.peer]?.contains([other.number, connection.number]) == true {
      simulation.fail("\(link.name) keeps a session, and its peer keeps another instead")
    }
  }

  /// A side closes a session because the other broke a rule.
  func accuses(_ link: LinkRunner, _ fault: SessionFault, _ session: LinkSeat) {
    simulation.note(20, "\(link.name): \(fault)")
    let past = past(couple(link.node.device, link.peer))
    guard !session.port.connection.isReplay, !past.isSetBack, !cloned.contains(link.peer) else { return }
    switch fault {
    case .violation("data before the session is open"): break
    case .refused, .version: break
    default: if !past.isUneven { simulation.fail("\(link.name) accuses an honest peer: \(fault)") }
    }
  }

  /// A call was answered with a key that the caller does not hold.
  func keysDiffer(_ link: LinkRunner, _ connection: Connection) {
    let past = past(couple(link.node.device, link.peer))
    guard !past.isSetBack, !past.isPairedAnew, let key = connection.answeredKey else { return }
    // The call may have begun before there was that key.
    guard link.node.store.peer(link.peer)?.callingKeys.contains(key) == false else { return }
    simulation.fail("\(link.name) holds no key that the peer answers with")
  }

  func quarantines(_ link: LinkRunner) {
    simulation.note(21, "\(link.name) puts its peer in quarantine")
    guard !cloned.contains(link.peer) else { return }
    simulation.fail("\(link.name) puts a machine in quarantine of which there is no copy")
  }

  /// Returns whether a run was superseded before, which a deliberate fault takes for a proof.
  func hasReturned(_ link: LinkRunner, _ runID: [UInt8]) -> Bool {
    let key = link.node.runID + link.peer.bytes
    guard var known = runs[key] else {
      runs[key] = (runID, [])
      return false
    }
    guard known.present != runID else { return false }
    let isReturn = known.past.contains(runID)
    known.past.insert(known.present)
    known.present = runID
    runs[key] = known
    return isReturn
  }

  /// The network has been there for long enough that everybody has found everybody.
  func expectsSessions() {
    for parent in simulation.household.parents {
      for child in simulation.household.children where isCouple(parent, child) && !scenario.setsBack {
        guard parent.link(child.device)?.current != nil, child.link(parent.device)?.current != nil else {
          return simulation.fail("\(parent.name) and \(child.name) have no session 20 s after the network came back")
        }
      }
    }
  }

  func isCloned(_ device: DeviceID) -> Bool { cloned.contains(device) }
  func checker() -> Simulation { simulation }
}
