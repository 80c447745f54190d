import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyWire

extension PeerLink {
  /// Load what may be sent and send it, until nothing waits or the window or the connection is full.
  func pumpOutbox(_ number: Int) async {
    while current == number, let session = sessions[number], session.connection.isWritable, !isOfNewPairing(session),
      let load = outbox.nextLoad()
    {
      do {
        let items = try await context.store.load(
          peer, load.streamClass, epoch: load.epoch, from: load.from, items: load.items, bytes: load.bytes,
          at: context.wall())
        guard current == number else { return }
        guard let run = outbox.loaded(load, items) else {
          // The database holds another stream than this link counts on.
          if items.isEmpty {
            await beginAnew()
            await takeNews()
          }
          return
        }
        for part in run.parts() { send(SessionBatch(runs: [part]), number) }
        CrashPoint.runSent.reached()
        await noteRemovalSent(run, number)
      } catch {
        fail(number, error)
        return
      }
    }
  }

  /// Commit what has come in, report it stored, then make it visible.
  func pumpInbox(_ number: Int) async {
    // What comes in may be answered in a stream that has to begin anew: a receipt would get a number that the peer holds.
    while restarts.isEmpty, !isRestartUnderWay, let runs = inbox.nextCommit() {
      // What was gathered is the present session's.
      let sessionKey = current.flatMap { sessions[$0]?.pairwiseKey }
      do {
        try await keepDiscoveryKeys(runs)
        CrashPoint.runGathered.reached()
        let result = try await context.store.receive(
          runs, from: peer, role: record.device.role, in: sessionKey, enforcement: context.enforcement,
          at: context.wall())
        CrashPoint.runCommitted.reached()
        let stored = inbox.committed(runs)
        // The peer uses new keys once it hears that they are stored: they have to be known here by then.
        if result.hasCompletedPairing { await directory.promoted(peer) }
        if result.hasNewKeys { try await directory.refresh(peer) }
        // Also in a session that has begun meanwhile: what it brought again is in force by now, and nothing else says so.
        if let current, !stored.isEmpty { send(SessionBatch(stored: stored), current) }
        if let current, inbox.hasOutrunHello { close(current, .renew) }
        CrashPoint.storedSent.reached()
        await publish(result, number)
      } catch {
        inbox.commitFailed()
        fail(number, error)
        // The commit may have been one of the session before: what the present one has brought meanwhile was forgotten with
        // it, and comes again only in the next.
        if let current { fail(current, error) }
        return
      }
    }
    // A commit of the session before may have been under way when this one began.
    if let current, current != number { sessions[current]?.inboxWork.yield() }
  }

  private func publish(_ result: InboxResult, _ number: Int) async {
    for fault in result.faults { logger.warning("an item could not be used", metadata: ["reason": "\(fault)"]) }
    for change in result.changes where change.device == peer {
      outbox.committed(change.streamClass, epoch: change.epoch, last: change.last)
    }
    signalOutbox()
    if result.hasNewKeys {
      logger.notice("this device got new keys")
      context.householdChanges.notify()
    }
    if result.appliedCommands + result.usageRecords + result.commands.count > 0 {
      logger.debug(
        "items in force",
        metadata: [
          "commands": "\(result.appliedCommands)", "usage": "\(result.usageRecords)",
          "receipts": "\(result.commands.count)",
        ])
    }
    noteSync()
    context.changes.notify()
    guard result.wasRemoved else { return }
    logger.notice("this device was removed by the peer")
    context.warn(
      Self.removalWarning(peer),
      "“\(record.device.name)” has unpaired this machine: run `latchkey pair` on both if that was not meant."
    )
    close(number, .removed)
    // A session of a new pairing, which goes on with a link of its own.
    for other in [current, attempt].compactMap({ $0 }) { close(other, .renew) }
    isEnded = true
    wake.notify()
    life.notify()
    let (directory, peer, logger) = (directory, peer, logger)
    do {
      try await directory.refresh(peer)
      // Whoever stays got new keys in the same transaction.
      try await context.reloadHousehold()
      try await directory.handOut(result.changes.filter { $0.device != peer })
    } catch {
      logger.error("the removal could not be taken over", metadata: ["reason": "\(error)"])
    }
  }

  /// Make durable what the peer has stored, and what a new session brought to light.
  func pumpForget() async {
    do throws(StoreError) {
      while let (streamClass, position) = pendingForget.first {
        pendingForget[streamClass] = nil
        CrashPoint.storedReceived.reached()
        let result: StoredResult
        do throws(StoreError) { result = try await context.store.forget(peer, position, at: context.wall()) } catch {
          // It is still to be noted, in this session or after it, unless the peer has said since what covers it.
          if pendingForget[streamClass] == nil { pendingForget[streamClass] = position }
          throw error
        }
        CrashPoint.itemsForgotten.reached()
        context.changes.notify()
        // What was stored of a control stream from before the removal says nothing of the removal.
        if streamClass == .control, record.state == .removedUntold, isWholeControl(position) {
          try await endRemoval("it has taken it")
          // A new pairing under way goes on, and what its session has shown is still to be noted.
          if isEnded { return }
        }
        if result.hasNewKeys { try await takeNewKeys(result.change) }
      }
      if let streams = unknownHere {
        unknownHere = nil
        do throws(StoreError) {
          try await context.store.noteSetBack(peer, holding: streams, at: context.wall())
        } catch {
          if unknownHere == nil { unknownHere = streams }
          throw error
        }
        context.changes.notify()
      }
      while !isRestartUnderWay, let (streamClass, cause) = restarts.popLast() {
        isRestartUnderWay = true
        defer {
          isRestartUnderWay = false
          if let current { sessions[current]?.inboxWork.yield() }
        }
        logger.warning(
          "the other machine holds another past of this stream; starting it anew",
          metadata: ["stream": "\(streamClass.word)", "cause": "\(cause)"])
        CrashPoint.restartDue.reached()
        let position: OutboxPosition
        do throws(StoreError) {
          position = try await context.store.restart(
            peer, streamClass, epoch: UInt64.random(in: 1...UInt64.max), cause: cause, at: context.wall())
        } catch {
          if current != nil { restarts.append((streamClass, cause)) }
          throw error
        }
        CrashPoint.restartMade.reached()
        context.changes.notify()
        outbox.restarted(streamClass, position)
        signalOutbox()
      }
      try await forgetPreviousKey()
      while let sighting = sightings.popLast() {
        do throws(StoreError) { try await note(sighting) } catch {
          if error.isOfDisk { sightings.append(sighting) }
          throw error
        }
      }
      // Whoever asks when the two were last in step is told the truth after a restart too.
      if outbox.waiting == 0, current != nil, let synced = lastSynced,
        synced > (savedSynced ?? 0) + 60_000 || savedSynced == nil
      {
        savedSynced = synced
        try await context.store.seen(peer, address: nil, synced: true, at: context.wall())
      }
    } catch {
      guard let current else { return }
      // What the peer has stored it has stored: that this is not written down here ends no session. It waits for the disk.
      if error.isOfDisk { return logger.error("the database refused", metadata: ["reason": "\(error)"]) }
      fail(current, error)
    }
  }

  /// Make durable that a session was opened, and what that proves.
  private func note(_ sighting: Sighting) async throws(StoreError) {
    if record.pendingKey == sighting.pairwiseKey {
      // A session with the new key proves that the other half of the pairing is there.
      if try await context.store.promote(peer, at: context.wall()) { await directory.promoted(peer) }
      try await directory.refresh(peer)
    } else if let pending = record.pendingKey, sighting.offeredKey == pending, context.profile.role == .child {
      // Answered with the key in force although the new one was offered, as nobody does who still waits for the other half of
      // a pairing, or has made it final. A call from before that pairing says nothing of it.
      try await context.store.discardPending(peer)
      try await directory.refresh(peer)
    }
    try await context.store.seen(
      peer, address: sighting.address.map(reached), synced: outbox.waiting == 0, isSession: true, at: context.wall())
    record.device.lastSeenAt = context.wall()
    if record.connectedAt == nil { record.connectedAt = context.wall() }
    if let address = sighting.address { record.lastAddress = address }
  }

  /// The disk is well again: finish what waited for that, and look for the peer, which may have been turned away.
  func diskRecovered() {
    if let current { sessions[current]?.forgetWork.yield() }
    signOfLife()
  }

  /// The store could not do its part: nothing was acknowledged; end the session and say why.
  func fail(_ number: Int, _ error: StoreError) {
    logger.error("the database refused", metadata: ["reason": "\(error)"])
    lastError = error.description
    // On a full disk a part may be in force all the same.
    context.changes.notify()
    sessions[number]?.connection.abort()
    detach(number)
  }

  /// A person wants it now: dial, or say again what both sides hold.
  func syncNow() {
    signOfLife()
    guard let current else { return }
    let held = inbox.statement
    if !held.isEmpty { send(SessionBatch(stored: held), current) }
    signalOutbox()
  }

  /// The last number of each class that was sent in the session that is open.
  var sentThrough: [StreamClass: UInt64] { outbox.sentThrough }

  /// Keep the state of synchronisation true.
  func noteSync() {
    if current != nil, outbox.waiting + inbox.behind == 0 {
      lastSynced = context.wall()
      syncTotal = 0
    } else {
      syncTotal = max(syncTotal, outbox.waiting + inbox.behind)
    }
    context.syncChanges.notify()
  }

  var sync: SyncState {
    // A device that was removed or is in quarantine is not to be in step with.
    if record.pendingKey == nil, record.state != .active || record.quarantinedAt != nil { return .idle }
    if current != nil {
      let waiting = outbox.waiting + inbox.behind
      return waiting == 0
        ? .synced(at: lastSynced ?? context.wall())
        : .syncing(done: syncTotal - min(waiting, syncTotal), total: syncTotal)
    }
    if isDialling { return .connecting }
    if let lastError {
      return .error(reason: lastError, nextTryInMilliseconds: max(0, (nextTry ?? context.now()) - context.now()))
    }
    return .idle
  }

  /// What `status` and `devices` show.
  func status() async throws(StoreError) -> PeerStatus {
    var queues = try await context.store.queues(peer, at: context.wall())
    for index in queues.indices { queues[index].inFlightItems = Int64(outbox.inFlight(queues[index].streamClass)) }
    var device = record.device
    device.lastSyncedAt = lastSynced
    if let lastSeen { device.lastSeenAt = max(lastSeen, device.lastSeenAt ?? lastSeen) }
    if current != nil { device.lastSeenAt = context.wall() }
    return PeerStatus(
      device: device, isConnected: current != nil,
      address: addressInUse ?? record.lastAddress, sync: sync, queues: queues,
      lastError: current == nil ? lastError : nil, marks: record.marks, retries: current == nil ? pace.failures : 0,
      nextTryInMilliseconds: current == nil && !isDialling ? nextTry.map { max(0, $0 - context.now()) } : nil,
      addresses: try await addresses())
  }
}
