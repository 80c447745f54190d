import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The operations of the machine on the database and on the network's state.
extension PeerLink {
  /// Looks up the peer's addresses.
  ///
  /// If the disk does not answer, the previous result is used.
  func lookUpAddresses() async {
    if hasUnreadKeys { _ = await takeOverKeys() }
    if let known = try? await context.store.addresses(of: peer) { remembered = known }
    let rungs = rungs
    machine.surroundings = Self.surroundings(context)
    update { $0.lookedUp(rungs, now: $1) }
  }

  /// Checks whether either side was restored to an older state and has assigned numbers twice.
  func judge(_ number: Int, _ hello: Hello) async {
    do throws(StoreError) {
      let foreign = try await context.store.foreign(peer, hello)
      machine.surroundings = Self.surroundings(context)
      update { $0.judged(number, foreign: foreign, now: $1) }
    } catch { update { $0.judgeFailed(number, refused(error), now: $1) } }
  }

  func load(_ load: OutboxMachine.Load) async {
    do throws(StoreError) {
      let items = try await context.store.load(
        peer, load.streamClass, epoch: load.epoch, from: load.from, items: load.items, bytes: load.bytes,
        at: context.wall())
      update { $0.loaded(load, items, now: $1) }
      if !items.isEmpty { CrashPoint.runSent.reached() }
    } catch { update { $0.loadFailed(load, refused(error), now: $1) } }
  }

  /// Commits runs, reports them as stored, and then makes them visible.
  func commit(_ runs: [ItemRun], in sessionKey: [UInt8]?) async {
    await context.firstLooks.wait()
    do throws(StoreError) {
      try await keepDiscoveryKeys(runs)
      CrashPoint.runGathered.reached()
      let result = try await context.store.receive(
        runs, from: peer, role: record.device.role, in: sessionKey,
        enforcement: context.enforcementState.confirmed,
        awaitsAgent: context.enforcementState.awaitsAgent(at: context.now()),
        at: context.wall())
      CrashPoint.runCommitted.reached()
      var (fault, part) = (result.fault, result.taken)
      // The peer uses new keys once it learns that they are stored, so they have to be known here
      // by then.
      if result.hasCompletedPairing { await directory.promoted(peer) }
      if result.hasNewKeys, let unread = await takeOverKeys() {
        if fault == nil { part = runs }
        fault = unread
      }
      let changes = result.changes.newest
      let hasSent = update { machine, now in
        if let fault {
          machine.commitFailed(refused(fault), inForce: part, now: now)
        } else {
          machine.committed(runs, wasRemoved: result.wasRemoved, now: now)
        }
        // Answers to the committed part are queued even if the disk had no room for the rest.
        return changes.filter { $0.device == peer }.reduce(false) { machine.committed($1, now: now) || $0 }
      }
      CrashPoint.storedSent.reached()
      if hasSent { CrashPoint.runSent.reached() }
      if result.wasRemoved {
        await takeOverRemoval(result)
      } else {
        // Other peers hear of edits and facts.
        let others = changes.filter { $0.device != peer }
        if !others.isEmpty { await directory.committed(others) }
      }
      publish(result)
    } catch { update { $0.commitFailed(refused(error), now: $1) } }
  }

  func readStreams() async {
    do throws(StoreError) {
      let streams = try await context.store.streams(with: peer)
      update { $0.streamsRead(streams, now: $1) }
    } catch {
      logger.error("the streams could not be read", metadata: ["reason": "\(error)"])
      update { $0.streamsUnread(now: $1) }
    }
  }

  func note(_ note: LinkNote) async {
    do throws(StoreError) {
      let answer = try await keep(note)
      update { $0.noted(answer, now: $1) }
      context.changes.notify()
      switch note {
      case .setBack, .restart, .opened: await askAfterSetBack()
      default: break
      }
    } catch { update { $0.noteFailed(refused(error), now: $1) } }
  }

  private func keep(_ note: LinkNote) async throws(StoreError) -> LinkNoteAnswer {
    let (store, wall) = (context.store, context.wall())
    switch note {
    case .quarantine:
      try await store.quarantine(peer, at: wall)
      // A state of the peer that was read earlier must not end the quarantine.
      try await directory.refresh(peer)
    case .forget(let position):
      CrashPoint.storedReceived.reached()
      // Keys and removals, which control carries, take effect with it. Of the rest nothing is
      // lost if it is never stored: the peer's next Hello says it again.
      let result = try await store.forget(peer, position, mayWait: position.streamClass != .control, at: wall)
      CrashPoint.itemsForgotten.reached()
      if result.hasNewKeys { try await takeNewKeys(result.change) }
      if let fault = result.fault { throw fault }
      return .stored(hasNewKeys: result.hasNewKeys)
    case .setBack(let streams): try await store.noteSetBack(peer, holding: streams, at: wall)
    case .restart(let streamClass, let cause):
      CrashPoint.restartDue.reached()
      let position = try await store.restart(
        peer, streamClass, epoch: UInt64.random(in: 1...UInt64.max), cause: cause, at: wall)
      CrashPoint.restartMade.reached()
      // What was passed on may have to be passed on again.
      context.householdNews.notify()
      return .restarted(position)
    case .keyNamed(let keyID):
      if try await store.peer(peer, answersWith: keyID) { try await directory.refresh(peer) }
    case .opened(let sighting, let proof, let isInStep): try await self.note(sighting, proof, isInStep)
    case .inStep: try await store.seen(peer, address: nil, synced: true, at: wall)
    case .told(let endpoints):
      try await store.told(peer, endpoints.map(\.description))
      logger.debug("received the peer's addresses", metadata: ["addresses": "\(endpoints.map(\.description))"])
    case .labels(let labels): try await take(labels)
    case .removalSent: return .count(try await store.removalSent(peer))
    case .removalMetSilence: return .count(try await store.removalMetSilence(peer))
    case .removalTold(let end):
      logger.info("the peer is taken to know of its removal", metadata: ["reason": "\(end.rawValue)"])
      try await store.removalTold(peer)
      // The device may have been paired again during the transaction, so its present state decides.
      try await directory.refresh(peer)
      try await context.reloadDiscoveryKeys()
    }
    return .done
  }

  /// Stores that a session was opened, and its effect on a pairing.
  private func note(_ sighting: LinkSighting, _ proof: LinkSighting.Proof, _ isInStep: Bool) async throws(StoreError) {
    switch proof {
    case .nothing: break
    case .completes:
      if try await context.store.promote(peer, at: context.wall()) { await directory.promoted(peer) }
      try await directory.refresh(peer)
    case .refutes:
      try await context.store.discardPending(peer)
      try await directory.refresh(peer)
    }
    let wall = context.wall()
    try await context.store.seen(
      peer, address: sighting.address.map(reached), synced: isInStep, isSession: true, at: wall)
    record.device.lastSeenAt = wall
    if record.connectedAt == nil { record.connectedAt = wall }
  }

  /// Converts a failure of the database for the machine, and logs it.
  private func refused(_ error: StoreError) -> LinkFault {
    logger.error("a database operation failed", metadata: ["reason": "\(error)"])
    // On a full disk, a part may have been committed nevertheless.
    context.changes.notify()
    return LinkFault(error)
  }

  // MARK: Keys and removals

  /// Takes over keys that are in force in the database.
  ///
  /// If it cannot be read, this is repeated before the next call. Returns the fault, if any.
  private func takeOverKeys() async -> StoreError? {
    do throws(StoreError) {
      try await directory.refresh(peer)
      hasUnreadKeys = false
      return nil
    } catch {
      hasUnreadKeys = true
      return error
    }
  }

  private func takeNewKeys(_ next: OutboxChange?) async throws(StoreError) {
    logger.notice("the peer has stored its new keys")
    if let fault = await takeOverKeys() { throw fault }
    try await context.reloadDiscoveryKeys()
    if let next { await directory.committed([next]) }
  }

  /// Stores the discovery keys among items that are about to be committed.
  ///
  /// After a crash in between, the items arrive again.
  private func keepDiscoveryKeys(_ runs: [ItemRun]) async throws(StoreError) {
    for run in runs where run.streamClass == .control {
      for item in run.items where item.kind == .keyRotation {
        guard record.device.role == .parent, let rotation = try? MessageBodyCoding().rotation(item.body),
          rotation.generation >= record.knownGeneration, rotation.discoveryKey != context.discoveryKey,
          try await context.store.takesDiscoveryKey(of: peer)
        else { continue }
        do { try context.keep(discoveryKey: rotation.discoveryKey) } catch {
          throw .inputOutput("the key file: \(error)")
        }
      }
    }
  }

  private func takeOverRemoval(_ result: InboxResult) async {
    do throws(StoreError) {
      try await directory.refresh(peer)
      // The remaining devices were given new keys in the same transaction.
      try await context.reloadDiscoveryKeys()
      try await directory.handOut(result.changes.filter { $0.device != peer })
    } catch {
      logger.error("the peer's removal could not be carried out", metadata: ["reason": "\(error)"])
    }
  }
}

extension LinkMachine {
  mutating func committed(_ change: OutboxChange, now: BootInstant) -> Bool {
    committed(
      change.streamClass, epoch: change.epoch, last: change.last, items: change.items?.all ?? [], now: now)
  }
}

extension LinkFault {
  init(_ error: StoreError) { self.init(isOfDisk: error.isOfDisk, text: error.description) }
}
