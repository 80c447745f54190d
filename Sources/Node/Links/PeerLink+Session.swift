import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport
import LatchkeyWire

extension PeerLink {
  /// Run a session from the end of its handshake to its own end. Spec: Protocol/04-session.md §4 to §7.
  func serve(
    _ connection: FrameConnection, _ frames: FrameReader, _ transport: NoiseTransport, isInitiator: Bool,
    pairwiseKey: [UInt8], offeredKey: [UInt8]? = nil, ticket: StrangerTicket?, call: Int? = nil
  ) async {
    let (outboxSignals, outboxWork) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (inboxSignals, inboxWork) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (forgetSignals, forgetWork) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    guard !isEnded else { return connection.close() }
    let number = newSession(
      LinkSession(
        machine: SessionMachine(transport: transport, now: context.now()), connection: connection,
        isInitiator: isInitiator, ticket: ticket,
        pairwiseKey: pairwiseKey, offeredKey: offeredKey, openedAt: context.now(),
        outboxWork: outboxWork, inboxWork: inboxWork, forgetWork: forgetWork))
    connection.onDrained { outboxWork.yield() }
    if isInitiator {
      // A session that shows no sign of life makes way for one that was proved just now.
      if let silent = replaceable {
        sessions[silent]?.connection.abort()
        detach(silent)
      }
      // The peer may have called in while our handshake was on its way.
      guard roster.dialled(number) else {
        sessions[number] = nil
        return connection.close()
      }
      if let call { serves(call) }
      sendHello(number)
    } else {
      roster.accepted(number)
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.read(frames, number) }
      group.addTask { await self.keepTime(number) }
      group.addTask { for await _ in outboxSignals { await self.pumpOutbox(number) } }
      group.addTask { for await _ in inboxSignals { await self.pumpInbox(number) } }
      group.addTask { for await _ in forgetSignals { await self.pumpForget() } }
      await group.next()
      group.cancelAll()
      connection.close()
    }
    detach(number)
    sessions[number] = nil
  }

  private func read(_ frames: FrameReader, _ number: Int) async {
    while let frame = await frames.next() {
      do {
        guard try await process(frame, number) else { return }
      } catch let fault as SessionFault {
        if fault == .refused(.duplicateIdentity) {
          logger.warning(
            "this machine is turned away: `latchkey status` tells what to do",
            metadata: ["reason": "\(fault)"])
        } else {
          logger.warning("session closed", metadata: ["reason": "\(fault)"])
        }
        lastError = "The connection was closed because \(fault)."
        switch fault {
        case .refused(.duplicateIdentity):
          heardOfDuplicate()
          close(number, nil)
        case .authentication: break
        case .version, .refused(.version): close(number, .version)
        case .refused: close(number, nil)
        case .ownKey, .violation: close(number, .protocolError)
        }
        return
      } catch { return }
    }
  }

  private func keepTime(_ number: Int) async {
    var reconcile = context.now() + Self.reconcileMilliseconds
    while let session = sessions[number] {
      let seen = session.clock.version
      let wait = max(10, min(session.machine.nextTimer, reconcile) - context.now())
      await session.clock.wait(after: seen, milliseconds: wait)
      guard !Task.isCancelled else { return }
      let now = context.now()
      if now >= reconcile, current == number {
        // Both sides say again what they hold, in case anything was missed.
        reconcile = now + Self.reconcileMilliseconds
        let stored = inbox.statement
        if !stored.isEmpty { send(SessionBatch(stored: stored), number) }
        signalOutbox()
      }
      switch sessions[number]?.machine.timerFired(now: now) {
      case .ping(let count): send(SessionBatch(ping: count), number)
      case .dead:
        lastError = "The device is not heard of any more: check that it is on and on this network."
        sessions[number]?.connection.abort()
        return
      case .renew: return close(number, .renew)
      case .callBeside:
        // Whoever keeps the session that we dialled, or waits for the end of the peer's.
        wake.notify()
        raceNews.notify()
      case nil: break
      }
    }
  }

  private static var reconcileMilliseconds: Int64 { 15 * 60_000 }

  /// Take a frame; false when the session is over.
  private func process(_ frame: [UInt8], _ number: Int) async throws -> Bool {
    guard var session = sessions[number] else { return false }
    let wasReplaceable = replaceable == number
    let batch = try session.machine.received(frame, now: context.now())
    sessions[number] = session
    if wasReplaceable { standDown() }
    if let hello = batch.hello, await !open(number, hello) { return false }
    if let goodbye = batch.goodbye {
      logger.debug("goodbye", metadata: ["reason": "\(goodbye)"])
      if goodbye == .removed, record.state == .removedUntold {
        // Its word that it knows, should the one that it stored the removal be lost.
        pendingForget[.control] = outbox.statement.first { $0.streamClass == .control }
        session.forgetWork.yield()
      }
      if goodbye == .duplicateIdentity { heardOfDuplicate() }
      if goodbye == .version { lastError = "The other machine's version is too old or too new: update the older one." }
      return false
    }
    // What was on its way in a session that another has replaced.
    guard roster.contains(number) else { return false }
    guard current == number else { throw SessionFault.violation("data before the session is open") }
    if let ping = batch.ping { send(SessionBatch(pong: ping), number) }
    for stored in batch.stored {
      guard case .forget(let position)? = try outbox.received(stored: stored) else { continue }
      forget(position)
    }
    // A removed device may hear that it is one; what it has to say is not taken.
    if record.state == .removedUntold {
      try hearRemoval(batch.runs, number)
      return true
    }
    for run in batch.runs {
      try verifyControl(run)
      if let known = try inbox.received(run) { send(SessionBatch(stored: [known]), number) }
    }
    if !batch.runs.isEmpty { sessions[number]?.inboxWork.yield() }
    // Last: it waits for the disk, and meanwhile another session may have taken this one's place.
    if let reach = batch.reach { await received(reach, number) }
    return true
  }

  /// Both have removed each other: neither has to be told any more.
  private func hearRemoval(_ runs: [ItemRun], _ number: Int) throws(SessionFault) {
    for run in runs where run.items.contains(where: { $0.kind == .removal }) {
      try verifyControl(run)
      pendingForget[.control] = outbox.statement.first { $0.streamClass == .control }
      sessions[number]?.forgetWork.yield()
    }
  }

  /// Hold control items to what only their sender could have made: one that is false must not be passed over.
  private func verifyControl(_ run: ItemRun) throws(SessionFault) {
    for item in run.items where item.kind == .keyRotation && run.streamClass == .control {
      guard (try? MessageBodyCoding().rotation(item.body)) != nil else {
        throw .violation("new keys that are malformed")
      }
    }
    for item in run.items where item.kind == .removal {
      guard let bytes = Hexadecimal.decode(record.device.identityKey),
        let identity = try? IdentityPublicKey(bytes: bytes),
        RemovalNotice.isGenuine(item.body, identity: identity, sender: peer, receiver: context.own)
      else { throw .violation("a removal that its sender did not sign") }
    }
  }

  /// The peer's Hello is in and verified: keep this session or the other. False when this one is not kept.
  private func open(_ number: Int, _ hello: Hello) async -> Bool {
    // One of the two may have been set back to an older state and have given numbers out a second time.
    let foreign: Set<StreamClass>
    do { foreign = try await context.store.foreign(peer, hello) } catch {
      fail(number, error)
      return false
    }
    guard let session = sessions[number], !isEnded else { return false }
    session.connection.authenticated()
    session.ticket?.release()
    // A pairing that waits for its other half lifts a quarantine once it is complete.
    let isAnew = record.pendingKey == session.pairwiseKey
    if record.quarantinedAt == nil, !isAnew, record.state == .active, watch.received(hello.runID, now: context.now()) {
      await quarantine(number)
    }
    guard record.quarantinedAt == nil || isAnew else {
      turnAway(number, isInitiator: session.isInitiator)
      return false
    }
    if hasHeardEnough {
      try? await endRemoval("it was sent it often enough")
      close(number, .removed)
      return false
    }
    // A handshake that began before a new pairing was made final leads to a session of the past.
    guard !isOfThePast(session.pairwiseKey) else {
      close(number, .renew)
      return false
    }
    switch roster.greeted(number, runID: hello.runID, ended: hello.endedSessions) {
    case .gone: return false
    case .giveWay:
      close(number, .duplicate)
      return false
    case .keep(let other): if let other { close(other, .duplicate) }
    }
    roster.keep(number)
    if !session.isInitiator { sendHello(number) }
    install(number, hello, session, foreign)
    return true
  }

  private func install(_ number: Int, _ hello: Hello, _ session: LinkSession, _ foreign: Set<StreamClass>) {
    logger.info(
      "session open", metadata: ["address": "\(session.connection.remote)", "dialled": "\(session.isInitiator)"])
    lastError = nil
    nextTry = nil
    context.members.set(peer, isConnected: true)
    context.note(crowd: Int(clamping: hello.devices))
    context.warn("duplicate-\(peer)", nil)
    noteKeyID(hello)
    inbox.sessionOpened(hello)
    // Of a stream that this machine knows nothing of there is nothing to begin anew, but its people have to know.
    let known = Set(outbox.statement.map(\.streamClass))
    let unknown = hello.incoming.filter { $0.through > 0 && !known.contains($0.streamClass) }
    unknownHere = unknown.isEmpty || record.state != .active ? nil : unknown
    for effect in outbox.sessionOpened(hello, foreign: foreign, pairwiseKey: session.pairwiseKey) {
      switch effect {
      case .forget(let position): forget(position)
      case .restart(let streamClass, let cause): restarts.append((streamClass, cause))
      }
    }
    syncTotal = outbox.waiting + inbox.behind
    noteSync()
    // What has run out meanwhile is not to be sent, and whoever waits for it is told.
    context.expiryChanges.notify()
    sightings.append(
      Sighting(
        address: session.isInitiator ? session.connection.remote : nil, pairwiseKey: session.pairwiseKey,
        offeredKey: session.offeredKey))
    sendReach(number)
    session.forgetWork.yield()
    session.outboxWork.yield()
    context.changes.notify()
    if inbox.hasOutrunHello { close(number, .renew) }
  }

  func sendHello(_ number: Int, refusal: Hello.Refusal? = nil) {
    send(
      SessionBatch(
        hello: Hello(
          runID: context.runID, name: context.profile.name.text, role: context.profile.role, refusal: refusal,
          outgoing: outbox.statement, incoming: inbox.statement, held: inbox.held, keyID: ownKeyID,
          endedSessions: endedSessions, devices: UInt32(clamping: context.members.count))), number)
  }

  private func forget(_ position: StreamPosition) {
    pendingForget[position.streamClass] = position
    noteStored(position)
    noteSync()
    if let current { sessions[current]?.forgetWork.yield() }
    signalOutbox()
    context.changes.notify()
  }
}
