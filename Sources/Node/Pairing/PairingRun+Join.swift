import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport

/// The search of a joiner, and its part of the effects.
///
/// Spec: Protocol/03-pairing.md §7.
extension PairingRun {
  /// Looks for the machine that shows the code, until the join has ended; `given` is the address
  /// that the person entered.
  func search(_ code: PairingCredential, at given: SocketEndpoint?) async {
    let (context, discovery) = (ledger.context, ledger.discovery)
    var search = JoinSearch(given: given, coded: Self.address(in: code), now: context.now())
    // By hand, since the search has many ends, and looks again at once if it has more to try.
    while machine.isWaiting, !Task.isCancelled {
      let seen = discovery.changes.version
      let announced = search.asksNetwork ? await discovery.endpoints(discriminator: discriminator) : []
      let others = announced.isEmpty && search.asksNetwork ? await discovery.openCodes() : []
      if search.asksNetwork { await note(others, isAnnounced: !announced.isEmpty) }
      for candidate in search.candidates(announced.map { ($0.endpoint, instance: $0.instance) }, now: context.now())
      where search.takes(candidate) {
        guard machine.isWaiting else { return }
        guard await mayRun(code) else { return await take { $0.searched(.wrongCode) } }
        let outcome = await attempt(code, candidate)
        guard machine.isWaiting else { return }
        if let last = search.judge(candidate, outcome, now: context.now()) {
          return await take { $0.searched(last) }
        }
        // This ends nothing, but the person can look at the other screen meanwhile.
        if outcome == .wrongCode { await take { $0.heard(.saidToBeWrong) } }
      }
      switch search.next(hasOthers: !others.isEmpty, now: context.now()) {
      case .again: continue
      case .wait(let milliseconds): await discovery.changes.wait(after: seen, milliseconds: milliseconds)
      case .end(let outcome): return await give(up: outcome, code)
      }
    }
    await give(up: .notFound, code)
  }

  /// Records the open codes that are announced while the entered one is not.
  private func note(_ others: [String], isAnnounced: Bool) async {
    if !others.isEmpty {
      let own = TypedCode.prefix(discriminator: discriminator)
      await take { $0.heard(.otherCodes(own: own, open: Array(others.prefix(JoinHint.mostCodes)))) }
    } else if isAnnounced, case .otherCodes? = machine.hint {
      await take { $0.heard(nil) }
    }
  }

  private func give(up outcome: PairingOutcome, _ code: PairingCredential) async {
    let isOver = outcome == .expired || outcome == .notFound
    let isPaired = isOver ? await isPairedAlready(code) : false
    await take { $0.searched(isPaired ? .alreadyPaired : outcome) }
  }

  /// Tries one address; returns `nil` if nothing answers.
  private func attempt(
    _ code: PairingCredential, _ candidate: JoinSearch<SocketEndpoint>.Candidate
  ) async -> PairingOutcome? {
    let (context, steps, source) = (ledger.context, ledger.steps, candidate.source)
    context.logger.info(
      "trying a machine with an open code",
      metadata: ["address": "\(candidate.place)", "found": source == .mdns ? "over mDNS" : "by its address"])
    let opening = steps.during(.handshake) {
      PairingAttempt(joiner: context.party, code: code, entropy: .draw(), asksPerson: asksPerson)
    }
    let dialled = steps.begin()
    do {
      try await Dialer().withConnection(to: candidate.place, preamble: code.preamble, timeout: 3_000) {
        connection, frames in
        steps.end(.connect, dialled)
        await self.converse(opening, Line(connection: connection, source: source), frames)
      }
    } catch { return nil }
    return machine.attempted
  }

  private func converse(_ opening: PairingAttempt, _ line: Line, _ frames: FrameReader) async {
    guard let attempt = machine.connected(line, opening) else { return }
    CrashPoint.joinerDialled.reached()
    line.connection.send(opening.opening)
    await converse(attempt, nil, frames)
  }

  private static func address(in code: PairingCredential) -> SocketEndpoint? {
    guard case .pasted(let pasted) = code, let address = pasted.address else { return nil }
    return SocketEndpoint(host: address.ipv4.map(String.init).joined(separator: "."), port: address.port)
  }

  /// Returns whether a machine with which this one is paired, most likely by this code, created it.
  private func isPairedAlready(_ code: PairingCredential) async -> Bool {
    guard case .pasted(let pasted) = code else { return false }
    return ((try? await ledger.context.store.peers()) ?? []).contains { record in
      guard record.state == .active, let keys = DeviceKeys(record.device) else { return false }
      return keys.codeCommitment == pasted.commitment
    }
  }

  /// Returns whether the code may be tried again.
  ///
  /// A typed code permits five runs without an answer from its inviter.
  private func mayRun(_ code: PairingCredential) async -> Bool {
    guard case .typed = code else { return true }
    let context = ledger.context
    let runs = try? await context.store.runs(discriminator: discriminator, bootID: context.bootID, now: context.now())
    return (runs ?? Limits.pairingFailures) < Limits.pairingFailures
  }

  /// Counts a run of the typed code; returns `false` if the store refused.
  func countRun() async -> Bool {
    let (context, discriminator) = (ledger.context, discriminator)
    let runs = await ledger.commit { () async throws(StoreError) in
      try await context.store.countRun(discriminator: discriminator, bootID: context.bootID, now: context.now())
    }
    return runs != nil
  }

  /// Stores the inviter as pending, with the household's key, and returns whether the device was
  /// paired before; `nil` if the disk refused.
  func storeAndKeep(_ peer: PairedPeer, _ line: Line) async -> Bool? {
    // A household that this machine belongs to keeps its key until another's pairing is complete.
    // The key of the first one has to be on disk before the inviter learns of it, and is written in
    // parallel with the commit.
    let isFirstKey = ledger.context.discoveryKey == nil
    let began = isFirstKey ? ledger.steps.begin() : nil
    async let isKept = isFirstKey ? keepAside(peer) : true
    async let forgotten: Void = forgetLapsed(except: peer.keys.deviceID)
    let wasPaired = await ledger.savePending(peer, address: line.address)
    let isComplete = await isKept
    await forgotten
    ledger.steps.end(.keyFile, began)
    if wasPaired != nil { CrashPoint.joinerPendingStored.reached() }
    return isComplete ? wasPaired : nil
  }

  /// Stores the household's key on another thread, while this actor waits for a commit.
  @concurrent private nonisolated func keepAside(_ peer: PairedPeer) async -> Bool {
    ledger.keepDiscoveryKey(of: peer)
  }

  /// Discards the unconfirmed pairings of earlier attempts, which are irrelevant once another one
  /// is stored.
  private func forgetLapsed(except device: DeviceID) async {
    for record in (try? await ledger.context.store.peers()) ?? [] where record.hasLapsed && record.state == .pending {
      let other = record.device.deviceID
      if other != device { await ledger.discard(other) }
    }
  }

  /// Finds out how a pairing ended if its last message did not arrive.
  func settle(_ peer: PairedPeer) async {
    let device = peer.keys.deviceID
    if await ledger.isCompleted(peer) { return await take { $0.completed(device) } }
    guard await ledger.record(device)?.pendingKey != nil else { return await take { $0.rolledBack(device) } }
    await ledger.refresh(device)
    await take { $0.doubted() }
    service.watch()
  }
}
