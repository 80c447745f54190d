import LatchkeyModel
import LatchkeyProtocol

/// The conditions on sessions.
extension Oracle {
  /// Checks whether a Hello shows that numbers were assigned twice without being detected.
  ///
  /// Spec: Protocol/05-delivery.md §8.
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

  /// Checks that a batch to be sent reports only what is durable.
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

  /// Checks that a sent run is within the receiver's window.
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

  /// Returns where a sender would continue that remembers what it sent in an earlier session.
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

  /// Checks that a link has done everything that was due.
  ///
  /// `next` is the time of the next due action.
  func timerFired(_ link: LinkRunner, next: BootInstant?) {
    guard let next, next <= link.node.now else { return }
    simulation.fail("\(link.name) has done what was due, and asks for a moment that is \(link.node.now - next) ms ago")
  }

  /// Checks that, a second after a session was opened, the link knows at least the items that are
  /// durable now.
  func opens(_ link: LinkRunner) {
    guard let streams = link.node.store.peer(link.peer)?.outgoing else { return }
    link.node.act(after: 1_000_000) { [unowned self, weak link] in
      // Parts of a commit are reported together, once the last of them is durable or refused.
      guard let link, link.node.link(link.peer) === link, !link.machine.inbox.isCommitting else { return }
      for (streamClass, stream) in streams {
        guard let known = link.machine.outbox.positions[streamClass], known.epoch == stream.epoch,
          known.last < stream.last
        else { continue }
        simulation.fail("\(link.name) does not know of number \(stream.last) of \(streamClass.word), which is durable")
      }
    }
  }

  /// Checks that the peer no longer holds a key, if a link takes a session for proof that the
  /// pairing was rolled back.
  func discards(_ link: LinkRunner) {
    guard !isCloned(link.peer), let pending = link.node.store.peer(link.peer)?.pendingKey,
      let peer = simulation.node(link.peer)?.store.peer(link.node.device),
      peer.pendingKey == pending || peer.callingKeys.contains(pending)
    else { return }
    simulation.fail("\(link.name) discards a pairing that its peer has not rolled back")
  }

  /// Checks that of two sessions, both sides keep the same one.
  func keeps(_ link: LinkRunner, _ connection: Connection, insteadOf other: Connection?) {
    guard let other else { return }
    kept[link.node.device, default: []].insert([connection.number, other.number])
    if kept[link.peer]?.contains([other.number, connection.number]) == true {
      simulation.fail("\(link.name) keeps a session, and its peer keeps another instead")
    }
  }

  /// Checks that a side that closes a session over a broken rule does not accuse an honest peer.
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

  /// Handles a call that was answered with a key that the caller does not hold.
  func keysDiffer(_ link: LinkRunner, _ connection: Connection) {
    let past = past(couple(link.node.device, link.peer))
    guard !past.isSetBack, !past.isPairedAnew, let key = connection.answeredKey else { return }
    // The call may have begun before that key existed.
    guard link.node.store.peer(link.peer)?.callingKeys.contains(key) == false else { return }
    simulation.fail("\(link.name) holds no key that the peer answers with")
  }

  func quarantines(_ link: LinkRunner) {
    simulation.note(21, "\(link.name) puts its peer in quarantine")
    guard !cloned.contains(link.peer) else { return }
    simulation.fail("\(link.name) puts a machine in quarantine of which there is no copy")
  }

  /// Returns whether a run was superseded before, which a deliberate fault takes for proof.
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

  /// Checks the sessions once the network has worked for so long that all machines have found each
  /// other.
  func expectsSessions() {
    for parent in simulation.household.parents {
      for child in simulation.household.children where isCouple(parent, child) && !scenario.setsBack {
        guard parent.link(child.device)?.current != nil, child.link(parent.device)?.current != nil else {
          return simulation.fail("\(parent.name) and \(child.name) have no session 20 s after the network came back")
        }
      }
    }
  }
}
