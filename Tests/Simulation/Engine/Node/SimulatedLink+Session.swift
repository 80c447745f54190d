import LatchkeyModel
import LatchkeyProtocol

/// A session from the end of its handshake to its own end. Spec: Protocol/04-session.md §4 to §7.
extension SimulatedLink {
  func serve(
    _ port: Port, _ sealing: Sealing, isInitiator: Bool, pairwiseKey: [UInt8], offeredKey: [UInt8]? = nil,
    ended: @escaping () -> Void
  ) {
    guard !isEnded else {
      port.close()
      return ended()
    }
    let session = newSession { number in
      SimulatedSession(
        number: number, port: port, sealing: sealing, isInitiator: isInitiator, pairwiseKey: pairwiseKey,
        offeredKey: offeredKey, now: node.now, ended: ended)
    }
    simulation.oracle.opened(self)
    port.onDrained = { [weak self] in self?.signalOutbox() }
    port.onEnd = { [weak self] in self?.end(session) }
    if isInitiator {
      // A session that shows no sign of life makes way for one that was proved just now.
      if let silent = replaceable {
        sessions[silent]?.port.abort()
        detach(silent)
      }
      // The peer may have called in while our handshake was on its way.
      guard roster.dialled(session.number) else {
        sessions[session.number] = nil
        port.onEnd = nil
        port.close()
        return ended()
      }
      sendHello(session)
    } else {
      roster.accepted(session.number)
    }
    port.onFrame = { [weak self] frame in self?.take(frame, session) }
    port.read()
    session.reconcileAt = node.now + 15 * 60_000
    keepTime(session)
  }

  /// The reader or the clock of a session has ended: finish what is under way.
  func end(_ session: SimulatedSession) {
    guard !session.isEnding else { return }
    session.isEnding = true
    session.port.close()
    finish(session)
  }

  func finish(_ session: SimulatedSession) {
    guard !session.isOver, !session.outboxPump.isRunning, !session.inboxPump.isRunning, !session.forgetPump.isRunning
    else { return }
    session.isOver = true
    detach(session.number)
    sessions[session.number] = nil
    session.ended()
  }

  /// Wait for what the session's clock asks next; who waited for something later waits no more.
  func keepTime(_ session: SimulatedSession) {
    session.waits += 1
    let (wait, look) = (max(10, min(session.nextTimer, session.reconcileAt) - node.now), session.waits)
    node.act(after: wait * 1_000) { [weak self] in
      guard let self, !session.isEnding, sessions[session.number] === session, session.waits == look else { return }
      let now = node.now
      if now >= session.reconcileAt, current == session.number {
        session.reconcileAt = now + 15 * 60_000
        if !inbox.statement.isEmpty { send(SessionBatch(stored: inbox.statement), session) }
        signalOutbox()
      }
      switch session.timerFired(now: now) {
      case .ping(let count): send(SessionBatch(ping: count), session)
      case .dead:
        if simulation.fault != .neverDeclareDead {
          session.port.abort()
          return end(session)
        }
      case .renew:
        close(session.number, .renew)
        return end(session)
      case .callBeside: callBeside()
      case nil: break
      }
      keepTime(session)
    }
  }

  // MARK: What comes in

  private func take(_ frame: Frame, _ session: SimulatedSession) {
    guard !session.isEnding else { return }
    guard sessions[session.number] === session else { return end(session) }
    let batch: SessionBatch
    let wasReplaceable = replaceable == session.number
    do { batch = try session.open(frame, now: node.now) } catch { return accuse(session, error) }
    if wasReplaceable { standDown() }
    if !session.isInitiator { session.port.connection.isUnproven = false }
    simulation.note(11, "\(name) session \(session.number) takes \(describe(batch))")
    guard let hello = batch.hello else { return process(batch, session) }
    greet(session, hello) { [self] goesOn in
      guard !session.isEnding else { return }
      if goesOn { process(batch, session) } else { end(session) }
    }
  }

  private func accuse(_ session: SimulatedSession, _ fault: SessionFault) {
    simulation.oracle.accuses(self, fault, session)
    switch fault {
    case .authentication: break
    case .version, .refused(.version): close(session.number, .version)
    case .refused: close(session.number, nil)
    case .ownKey, .violation: close(session.number, .protocolError)
    }
    end(session)
  }

  private func process(_ batch: SessionBatch, _ session: SimulatedSession) {
    if let goodbye = batch.goodbye {
      if goodbye == .removed, record.state == .removedUntold { hearOfRemoval(session) }
      return end(session)
    }
    do throws(SessionFault) {
      guard current == session.number else { throw SessionFault.violation("data before the session is open") }
      if let ping = batch.ping { send(SessionBatch(pong: ping), session) }
      for stored in batch.stored {
        session.onTheWay[stored.streamClass]?.removeAll { $0.skipThrough <= stored.through }
        guard case .forget(let position)? = try outbox.received(stored: stored) else { continue }
        forget(position)
      }
      if record.state == .removedUntold {
        // A removed device may hear that it is one; what it has to say is not taken.
        if batch.runs.contains(where: { $0.items.contains { $0.kind == .removal } }) { hearOfRemoval(session) }
        return session.port.read()
      }
      for run in batch.runs {
        if let known = try received(run) { send(SessionBatch(stored: [known]), session) }
      }
      if !batch.runs.isEmpty { signal(session, \.inboxPump) { [self] in pumpInbox(session, $0) } }
      received(batch.reach, session)
    } catch { accuse(session, error) }
  }

  /// Give a run to the machine, which a deliberate fault may talk into taking a gap.
  private func received(_ run: ItemRun) throws(SessionFault) -> StreamPosition? {
    do { return try inbox.received(run) } catch {
      guard simulation.fault == .takeGaps, let first = run.items.first?.sequence, first > 1 else { throw error }
      var run = run
      run.items.insert(DeliveryItem(skipping: 1...(first - 1)), at: 0)
      return try inbox.received(run)
    }
  }

  private func hearOfRemoval(_ session: SimulatedSession) {
    pendingForget[.control] = outbox.statement.first { $0.streamClass == .control }
    signal(session, \.forgetPump) { [self] in pumpForget(session, $0) }
  }

  // MARK: Hello

  /// The peer's Hello is in: keep this session or the other. Gives false when this one is not kept.
  private func greet(_ session: SimulatedSession, _ hello: Hello, then: @escaping (Bool) -> Void) {
    let (device, number) = (peer, session.number)
    node.disk.read {
      $0.foreign(device, hello)
    } then: { [self] foreign in
      guard sessions[number] === session, !isEnded else { return then(false) }
      let isAnew = record.pendingKey == session.pairwiseKey
      if !record.isQuarantined, !isAnew, record.state == .active, provesTwo(hello.runID) { quarantine(number) }
      guard !record.isQuarantined || isAnew else {
        if session.isInitiator {
          close(number, .duplicateIdentity)
        } else {
          sendHello(session, refusal: .duplicateIdentity)
          close(number, nil)
        }
        return then(false)
      }
      if hasHeardEnough {
        return endRemoval { [self] in
          close(number, .removed)
          then(false)
        }
      }
      // A handshake that began before a new pairing was made final leads to a session of the past.
      guard !isOfThePast(session.pairwiseKey) else {
        close(number, .renew)
        return then(false)
      }
      var choice = roster.greeted(number, runID: hello.runID, ended: hello.endedSessions)
      if simulation.fault == .keepNewerSession, choice == .giveWay { choice = .keep(insteadOf: current ?? attempt) }
      switch choice {
      case .gone: return then(false)
      case .giveWay:
        close(number, .duplicate)
        return then(false)
      case .keep(let other):
        if let other {
          simulation.oracle.keeps(self, session.port.connection, insteadOf: sessions[other]?.port.connection)
          close(other, .duplicate)
        }
      }
      roster.keep(number)
      if !session.isInitiator { sendHello(session) }
      install(session, hello, foreign)
      if inbox.hasOutrunHello { close(number, .renew) }
      then(current == number)
    }
  }

  private func provesTwo(_ runID: [UInt8]) -> Bool {
    if simulation.fault == .quarantineAtFirstReturn { return simulation.oracle.hasReturned(self, runID) }
    return watch.received(runID, now: node.now)
  }

  private func quarantine(_ number: Int) {
    record.isQuarantined = true
    simulation.oracle.quarantines(self)
    for other in sessions.keys.sorted() where other != number { close(other, .duplicateIdentity) }
    let device = peer
    node.disk.commit("quarantine") {
      $0.quarantine(device)
    } then: { _ in
    }
  }

  private func install(_ session: SimulatedSession, _ hello: Hello, _ foreign: Set<StreamClass>) {
    simulation.note(12, "\(name) session \(session.number) open")
    var hello = hello
    (session.windowItems, session.windowBytes) = (Int(hello.windowItems), Int(hello.windowBytes))
    if simulation.fault == .ignoreWindow { (hello.windowItems, hello.windowBytes) = (4_096, 4 << 20) }
    simulation.oracle.greets(self, hello, foreign)
    if !hello.keyID.isEmpty, record.keys.previous != nil { answeringKeyID = hello.keyID }
    if simulation.fault == .keepReceivedAtNewSession { loseGathered() } else { inbox.sessionOpened(hello) }
    for effect in outbox.sessionOpened(
      hello, foreign: foreign,
      pairwiseKey: simulation.fault == .believeLateHello ? simulation.random.bytes(8) : session.pairwiseKey)
    {
      switch effect {
      case .forget(let position): forget(position)
      case .restart(let streamClass, let cause): restarts.append((streamClass, cause))
      }
    }
    sightings.append((session.pairwiseKey, session.offeredKey))
    if session.isInitiator { proven = session.port.remotePlace }
    sendReach(session)
    signal(session, \.forgetPump) { [self] in pumpForget(session, $0) }
    signalOutbox()
  }

  func sendHello(_ session: SimulatedSession, refusal: Hello.Refusal? = nil) {
    let scenario = simulation.scenario
    send(
      SessionBatch(
        hello: Hello(
          runID: node.runID, name: node.name, role: node.role, refusal: refusal, windowItems: scenario.windowItems,
          windowBytes: scenario.windowBytes, outgoing: outbox.statement, incoming: inbox.statement, held: inbox.held,
          keyID: record.sessionKey.map { simulation.keys.keyID(of: $0) } ?? [], endedSessions: endedSessions)), session)
  }

  private func forget(_ position: StreamPosition) {
    pendingForget[position.streamClass] = position
    if let current, let session = sessions[current] {
      signal(session, \.forgetPump) { [self] in pumpForget(session, $0) }
    }
    signalOutbox()
  }

  private func describe(_ batch: SessionBatch) -> String {
    var parts: [String] = []
    if let hello = batch.hello { parts.append("hello out \(brief(hello.outgoing)) in \(brief(hello.incoming))") }
    for run in batch.runs {
      let first = run.items.first?.sequence ?? 0
      parts.append("\(run.streamClass.word) \(run.epoch % 1_000)/\(first)…\(run.items.last?.skipThrough ?? 0)")
    }
    if !batch.stored.isEmpty { parts.append("stored \(brief(batch.stored))") }
    if let goodbye = batch.goodbye { parts.append("goodbye \(goodbye)") }
    if let reach = batch.reach { parts.append("reach \(reach.port)") }
    return parts.isEmpty ? "ping or pong" : parts.joined(separator: ", ")
  }

  private func brief(_ positions: [StreamPosition]) -> String {
    positions.map { "\($0.streamClass.word) \($0.epoch % 1_000)/\($0.through)" }.joined(separator: " ")
  }
}
