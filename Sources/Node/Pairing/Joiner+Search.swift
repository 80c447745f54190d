import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// The search of a joiner.
///
/// Spec: Protocol/03-pairing.md §7.
extension Joiner {
  /// Looks for the machine that shows the code, until the join has ended.
  ///
  /// `given` is the address that the person entered.
  func run(_ given: SocketEndpoint?) async {
    let (context, discovery) = (ledger.context, ledger.discovery)
    var search = JoinSearch(given: given, coded: coded, now: context.now())
    while machine.isSearching, !Task.isCancelled {
      let seen = discovery.changes.version
      let announced = search.asksNetwork ? await discovery.endpoints(discriminator: code.discriminator) : []
      let others = announced.isEmpty && search.asksNetwork ? await discovery.openCodes() : []
      if search.asksNetwork { await note(others, isAnnounced: !announced.isEmpty) }
      for candidate in search.candidates(announced.map { ($0.endpoint, instance: $0.instance) }, now: context.now())
      where search.takes(candidate) {
        guard machine.isSearching else { return }
        guard await mayRun() else { return await take { $0.searched(.wrongCode) } }
        let outcome = await attempt(candidate)
        guard machine.isSearching else { return }
        if let last = search.judge(candidate, outcome, now: context.now()) {
          return await take { $0.searched(last) }
        }
        // Its word ends nothing, but the person can look at the other screen meanwhile.
        if outcome == .wrongCode { await take { $0.heard(.saidToBeWrong) } }
      }
      switch search.next(hasOthers: !others.isEmpty, now: context.now()) {
      case .again: continue
      case .wait(let milliseconds): await discovery.changes.wait(after: seen, milliseconds: milliseconds)
      case .end(let outcome): return await give(up: outcome)
      }
    }
    await give(up: .notFound)
  }

  /// Records the open codes that are announced while the entered one is not.
  private func note(_ others: [String], isAnnounced: Bool) async {
    if !others.isEmpty {
      let own = TypedCode.prefix(discriminator: code.discriminator)
      await take { $0.heard(.otherCodes(own: own, open: Array(others.prefix(JoinHint.mostCodes)))) }
    } else if isAnnounced, case .otherCodes? = machine.hint {
      await take { $0.heard(nil) }
    }
  }

  private func give(up outcome: PairingOutcome) async {
    let isOver = outcome == .expired || outcome == .notFound
    let isPaired = isOver ? await isPairedAlready() : false
    await take { $0.searched(isPaired ? .alreadyPaired : outcome) }
  }

  /// Tries one address.
  ///
  /// Returns `nil` if nothing answers.
  private func attempt(_ candidate: JoinSearch<SocketEndpoint>.Candidate) async -> PairingOutcome? {
    let (context, steps, source) = (ledger.context, ledger.steps, candidate.source)
    context.logger.info(
      "trying a machine with an open code",
      metadata: [
        "address": "\(candidate.place)", "found": source == .mdns ? "over mDNS" : "by its address",
      ])
    let opening = steps.during(.handshake) {
      PairingJoinerMachine(own: context.party, code: code, entropy: .draw(), asksPerson: asksPerson)
    }
    let dialled = steps.begin()
    do {
      try await Dialer().withConnection(to: candidate.place, preamble: opening.opening.preamble, timeout: 3_000) {
        connection, frames in
        steps.end(.connect, dialled)
        await self.converse(opening, connection, frames, source)
      }
    } catch { return nil }
    return machine.attempted
  }

  private var coded: SocketEndpoint? {
    guard case .pasted(let pasted) = code, let address = pasted.address else { return nil }
    return SocketEndpoint(host: address.ipv4.map(String.init).joined(separator: "."), port: address.port)
  }

  /// Returns whether the code was created by a machine with which this one is paired.
  ///
  /// If so, most likely by this code.
  private func isPairedAlready() async -> Bool {
    guard case .pasted(let pasted) = code else { return false }
    return ((try? await ledger.context.store.peers()) ?? []).contains { record in
      guard record.state == .active, let keys = DeviceKeys(record.device) else { return false }
      return keys.codeCommitment == pasted.commitment
    }
  }

  /// Returns whether the code may be tried again.
  ///
  /// A typed code permits five runs without an answer from its inviter.
  private func mayRun() async -> Bool {
    guard case .typed(let typed) = code else { return true }
    let context = ledger.context
    let runs = try? await context.store.runs(
      discriminator: typed.discriminator, bootID: context.bootID, now: context.now())
    return (runs ?? Limits.pairingFailures) < Limits.pairingFailures
  }

  /// Counts a run of the typed code.
  ///
  /// Returns `false` if the store refused.
  func countRun() async -> Bool {
    let (context, discriminator) = (ledger.context, code.discriminator)
    let runs = await ledger.commit { () async throws(StoreError) in
      try await context.store.countRun(discriminator: discriminator, bootID: context.bootID, now: context.now())
    }
    return runs != nil
  }
}
