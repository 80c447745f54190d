import LatchkeyModel
import LatchkeyProtocol

/// Moving what waits, in both directions. Each step between two calls of the disk may be the last one.
extension SimulatedLink {
  // MARK: Out

  /// Load what may be sent and send it, until nothing waits or the window or the connection is full.
  func pumpOutbox(_ session: SimulatedSession, _ done: @escaping () -> Void) {
    guard current == session.number, session.port.isWritable, !isOfNewPairing(session), let load = outbox.nextLoad()
    else { return done() }
    give(load) { [self] items in
      guard let items else {
        failed(session.number)
        return done()
      }
      simulation.note(13, "\(name) loaded \(items.count) of \(load.streamClass.word) from \(load.from)")
      guard current == session.number else { return done() }
      guard let run = outbox.loaded(load, items) else {
        return items.isEmpty ? beginAnew { [self] in takeNews(then: done) } : done()
      }
      for part in run.parts(of: simulation.scenario.frameBytes) { send(SessionBatch(runs: [part]), session) }
      simulation.oracle.sent(self, run, session)
      if simulation.fault == .forgetWhatIsSent, let last = run.items.last {
        pendingForget[run.streamClass] = StreamPosition(
          streamClass: run.streamClass, epoch: run.epoch, through: last.skipThrough)
        signal(session, \.forgetPump) { [self] in pumpForget(session, $0) }
      }
      noteRemovalSent(run, session) { [self] in pumpOutbox(session, done) }
    }
  }

  /// The store's answer to a load, with what has to be durable before it; nil when the disk refused.
  private func give(_ load: OutboxMachine.Load, then: @escaping ([DeliveryItem]?) -> Void) {
    let device = peer
    let from = simulation.fault == .takeGaps ? simulation.oracle.furthest(self, load) : load.from
    node.disk.read {
      $0.load(device, load.streamClass, epoch: load.epoch, from: from, items: load.items, bytes: load.bytes)
    } then: { [self] result in
      func again(_ result: Result<Void, ModelStoreFault>) {
        guard case .success = result else { return then(nil) }
        give(load, then: then)
      }
      switch result {
      case .loaded(let items): then(items)
      case .hasExpired:
        let wall = node.wall
        node.disk.commit("expire before a load", with: device) {
          $0.expireDue(at: wall)
        } then: { [self] result in
          simulation.oracle.expired(node, try? result.get())
          again(result.map { _ in () })
        }
      case .isNotBound:
        node.disk.commit("bind", with: device) {
          $0.bind(device, load.streamClass, epoch: load.epoch, from: load.from, items: load.items)
        } then: {
          again($0)
        }
      }
    }
  }

  // MARK: In

  /// Commit what has come in, report it stored, then make it visible.
  func pumpInbox(_ session: SimulatedSession, _ done: @escaping () -> Void) {
    guard restarts.isEmpty, !isRestartUnderWay, let runs = inbox.nextCommit() else {
      // A commit of the session before may have been under way when this one began.
      if let current, current != session.number, let other = sessions[current] {
        signal(other, \.inboxPump) { [self] in pumpInbox(other, $0) }
      }
      return done()
    }
    simulation.oracle.gathers(self, runs)
    if simulation.fault == .acknowledgeBeforeCommit, current == session.number {
      var ahead = inbox
      send(SessionBatch(stored: ahead.committed(runs)), session)
    }
    let (device, role, wall) = (peer, record.role, node.wall)
    // What was gathered is the present session's.
    let sessionKey = current.flatMap { sessions[$0]?.pairwiseKey }
    let words = runs.map(\.streamClass.word).joined(separator: ", ")
    node.disk.commit("receive \(words)", with: device) {
      (store: inout ModelStore) throws(ModelStoreFault) in
      try store.receive(runs, from: device, role: role, in: sessionKey, at: wall)
    } then: { [self] result in
      switch result {
      case .failure where simulation.fault == .ignoreFailedCommit:
        received(runs, ModelInboxResult(), session, done)
      case .failure:
        inbox.commitFailed()
        failed(session.number)
        // What a newer session has brought meanwhile was forgotten with it.
        if simulation.fault != .endWrongSession, let current { failed(current) }
        done()
      case .success(let result) where simulation.fault == .watermarkInItsOwnTransaction:
        node.disk.commit("watermark alone", with: device) {
          $0.advanceAlone(runs, from: device)
        } then: { [self] _ in
          received(runs, result, session, done)
        }
      case .success(let result): received(runs, result, session, done)
      }
    }
  }

  private func received(
    _ runs: [ItemRun], _ result: ModelInboxResult, _ session: SimulatedSession, _ done: @escaping () -> Void
  ) {
    var stored = inbox.committed(runs)
    if simulation.fault == .reportOldEpochAsNew {
      for run in runs {
        guard let held = inbox.statement.first(where: { $0.streamClass == run.streamClass }), held.epoch != run.epoch,
          let last = run.items.last
        else { continue }
        stored.append(
          StreamPosition(streamClass: run.streamClass, epoch: held.epoch, through: last.skipThrough))
      }
    }
    func report() {
      // Also in a session that has begun meanwhile: what it brought again is in force by now.
      let reporter = simulation.fault == .reportInOldSession ? session.number : current
      if let reporter, reporter == current, let session = sessions[reporter], !stored.isEmpty {
        send(SessionBatch(stored: stored), session)
      }
      if let current, inbox.hasOutrunHello { close(current, .renew) }
      publish(result, session)
      pumpInbox(session, done)
    }
    // The peer uses new keys once it hears that they are stored: they have to be known here by then.
    if result.hasNewKeys { return node.refresh(peer, then: report) }
    report()
  }

  private func publish(_ result: ModelInboxResult, _ session: SimulatedSession) {
    for change in result.changes where change.device == peer {
      outbox.committed(change.streamClass, epoch: change.epoch, last: change.last)
    }
    signalOutbox()
    guard result.wasRemoved else { return }
    close(session.number, .removed)
    for other in [current, attempt].compactMap({ $0 }) { close(other, .renew) }
    isEnded = true
    wake.notify()
    life.notify()
    let others = result.changes.filter { $0.device != peer }
    node.refresh(peer) { [node] in node.handOut(others) }
  }

  // MARK: What the peer has

  /// Make durable what the peer has stored, and what a new session brought to light.
  func pumpForget(_ session: SimulatedSession, _ done: @escaping () -> Void) {
    let device = peer
    if let streamClass = simulation.pick(pendingForget.keys.sorted()), let position = pendingForget[streamClass] {
      pendingForget[streamClass] = nil
      return node.disk.commit("forget \(streamClass.word) through \(position.through)", with: device) {
        (store: inout ModelStore) throws(ModelStoreFault) in
        try store.forget(device, position)
      } then: { [self] result in
        guard case .success(let stored) = result else {
          if simulation.fault != .forgetPendingAtEnd { putBack(position) }
          return refused(result, done)
        }
        if streamClass == .control, record.state == .removedUntold, isWholeControl(position) {
          return endRemoval { [self] in if isEnded { done() } else { pumpForget(session, done) } }
        }
        guard stored.hasNewKeys else { return pumpForget(session, done) }
        takeNewKeys(stored.change) { [self] in pumpForget(session, done) }
      }
    }
    if !isRestartUnderWay, let (streamClass, cause) = restarts.popLast() {
      isRestartUnderWay = true
      let epoch = simulation.freshEpoch()
      return node.disk.commit("restart \(streamClass.word), \(cause)", with: device) {
        (store: inout ModelStore) throws(ModelStoreFault) in
        try store.restart(device, streamClass, epoch: epoch, cause: cause)
      } then: { [self] result in
        isRestartUnderWay = false
        defer { signalInbox() }
        guard case .success(let position) = result else {
          if current != nil { restarts.append((streamClass, cause)) }
          return refused(result, done)
        }
        outbox.restarted(streamClass, position)
        signalOutbox()
        pumpForget(session, done)
      }
    }
    if let keyID = answeringKeyID {
      answeringKeyID = nil
      return node.disk.commit("key named", with: device) {
        $0.peer(device, answersWith: keyID)
      } then: { [self] result in
        guard case .success(let isErased) = result else { return refused(result, done) }
        if isErased { node.refresh(device) { [self] in pumpForget(session, done) } } else { pumpForget(session, done) }
      }
    }
    guard let sighting = sightings.popLast() else { return done() }
    note(sighting) { [self] result in
      guard case .failure(let fault) = result else { return pumpForget(session, done) }
      if fault.isOfDisk { sightings.append(sighting) }
      refused(result, done)
    }
  }

  /// A session that was opened may complete a pairing, or show that it was rolled back.
  private func note(
    _ sighting: (key: [UInt8], offered: [UInt8]?), then: @escaping (Result<Bool, ModelStoreFault>) -> Void
  ) {
    let device = peer
    func refresh(_ result: Result<Bool, ModelStoreFault>) {
      guard case .success = result else { return then(result) }
      node.refresh(device) { then(result) }
    }
    if record.pendingKey == sighting.key {
      node.disk.commit("promote by a session", with: device) { (store: inout ModelStore) throws(ModelStoreFault) in
        try store.promote(device)
      } then: {
        refresh($0)
      }
    } else if let pending = record.pendingKey, isRefused(pending, sighting), node.role == .child {
      node.disk.commit("discard a pairing", with: device) { store in
        store.discardPending(device)
        return true
      } then: {
        refresh($0)
      }
    } else {
      node.disk.commit("seen", with: device) { _ in
        true
      } then: {
        then($0)
      }
    }
  }

  private func signalInbox() {
    if let current, let session = sessions[current] { signal(session, \.inboxPump) { self.pumpInbox(session, $0) } }
  }

  /// What the peer has stored is still to be noted; a newer word on it counts.
  private func putBack(_ position: StreamPosition) {
    if pendingForget[position.streamClass] == nil { pendingForget[position.streamClass] = position }
  }

  /// Whether the peer has answered with another key although it was offered that of the half-made pairing.
  private func isRefused(_ pending: [UInt8], _ sighting: (key: [UInt8], offered: [UInt8]?)) -> Bool {
    simulation.fault == .discardByOlderCall || sighting.offered == pending
  }

  /// What the peer has stored it has stored: that this is not written down here ends no session. It waits for the disk.
  private func refused<Value>(_ result: Result<Value, ModelStoreFault>, _ done: () -> Void) {
    if case .failure(let fault) = result, !fault.isOfDisk, let current { failed(current) }
    done()
  }

  private func takeNewKeys(_ next: ModelChange?, then: @escaping () -> Void) {
    node.refresh(peer) { [self] in
      if let next { node.committed([next]) }
      if let current, sessions[current]?.pairwiseKey != record.keys.present { close(current, .renew) }
      then()
    }
  }

  private func isWholeControl(_ position: StreamPosition) -> Bool {
    outbox.statement.contains {
      $0.streamClass == .control && $0.epoch == position.epoch && $0.through <= position.through
    }
  }
}
