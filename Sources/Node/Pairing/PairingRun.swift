import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport

/// One pairing on this node, which carries out its machine's effects: an open code, which serves
/// the joiners that use it one at a time, or a join, which looks for the machine that shows the
/// code.
actor PairingRun {
  struct Line: Sendable {
    let connection: FrameConnection
    /// A joiner's place among unauthenticated connections; `nil` on the joiner.
    var ticket: StrangerTicket?
    /// How the joiner learned the inviter's address; `nil` on the inviter.
    var source: AddressSource?

    /// The inviter's address, for later sessions and for the one that may have to complete this
    /// pairing.
    var address: ReachedAddress? {
      source.map { ReachedAddress(connection.remote, source: $0, network: NetworkMark.current()) }
    }
  }

  nonisolated let pairingID: String
  nonisolated let discriminator: UInt16
  nonisolated let ledger: PairingLedger
  /// The code that was entered here; `nil` on the inviter.
  nonisolated let code: PairingCredential?
  private let childName: String?
  /// A Boolean value that indicates whether the person here decides.
  let asksPerson: Bool
  let service: PairingService
  var machine: PairingMachine<Line>
  /// A number that increases with each change of the progress shown.
  private var change = 1

  /// Opens a code; `address` is the address of this node in the pasted code.
  init(_ record: InvitationRecord, at address: PairingCode.Address?, service: PairingService) {
    let typed =
      record.typedSecret.count == TypedCode.secretSymbols
      ? TypedCode(discriminator: record.discriminator, secretValues: record.typedSecret) : nil
    let pasted = PairingCode(
      discriminator: record.discriminator, minutesValid: UInt8(record.minutes), secret: SecretBytes(record.secret),
      commitment: service.context.party.keys.codeCommitment, address: address)
    (pairingID, discriminator, code) = (record.pairingID, record.discriminator, nil)
    (childName, asksPerson) = (record.childName, !record.acceptsWithoutAsking)
    (self.service, ledger) = (service, service.ledger())
    machine = PairingMachine(
      pairingID: record.pairingID, pasted: pasted, typed: typed, deadline: record.deadline,
      childName: record.childName, failures: record.failures, half: record.pendingDevice)
  }

  init(_ pairingID: String, _ code: PairingCredential, asksPerson: Bool, service: PairingService) {
    (self.pairingID, discriminator, self.code) = (pairingID, code.discriminator, code)
    (childName, self.asksPerson) = (nil, asksPerson)
    (self.service, ledger) = (service, service.ledger())
    machine = PairingMachine(pairingID: pairingID, discriminator: code.discriminator)
    ledger.steps.mark(.entered)
  }

  private var isInviter: Bool { code == nil }

  var progress: PairingProgress {
    var progress = machine.shown
    progress.change = change
    progress.expiresInMilliseconds = machine.deadline.map { max(0, $0 - ledger.context.now()) }
    return progress
  }

  /// The progress and both forms of the code, for the person who has just opened it.
  var opened: PairingProgress {
    var progress = progress
    if case .pasted(let code) = machine.credential(isTyped: false) { progress.code = code.text }
    if case .typed(let code) = machine.credential(isTyped: true) { progress.typedCode = code.text }
    return progress
  }

  /// The time at which the code expires; `nil` if it is used up or closed, and on the joiner.
  var deadline: BootInstant? { machine.deadline }

  /// Takes the person's answer; returns `false` if that question no longer awaits one.
  func answer(_ answer: PairingAnswer) async -> Bool {
    guard machine.asked == answer.attempt else { return false }
    await take { $0.answered(answer.accept) }
    return true
  }

  /// Serves a joiner that has sent its first frame, until it is gone.
  func serve(_ first: [UInt8], isTyped: Bool, _ line: Line, _ frames: FrameReader) async {
    let (context, steps) = (ledger.context, ledger.steps)
    guard let discoveryKey = context.discoveryKey, let code = machine.credential(isTyped: isTyped) else { return }
    let began = steps.begin()
    let attempt = machine.connected(
      line,
      PairingAttempt(
        inviter: context.party, code: code, joinerRole: .child, entropy: .draw(), discoveryKey: discoveryKey,
        asksPerson: asksPerson))
    steps.end(.handshake, began)
    guard let attempt else {
      line.connection.send(PairingNotice.busy.frame)
      return line.connection.close()
    }
    CrashPoint.inviterOpening.reached()
    await converse(attempt, first, frames)
    line.connection.close()
  }

  /// Exchanges frames with the other machine, until the attempt has ended; `first` is a frame that
  /// was read already.
  func converse(_ attempt: Int, _ first: [UInt8]?, _ frames: FrameReader) async {
    let steps = ledger.steps
    var following = first
    while machine.isUnderWay(attempt) {
      if following == nil { following = await frames.next(within: machine.patience, steps) }
      guard let frame = following else { break }
      await take { machine in steps.during(.handshake) { machine.received(frame, in: attempt) } }
      service.watch()
      following = nil
    }
    await take { $0.lost(attempt) }
    service.watch()
  }

  /// Passes an input to the machine and carries out its effects.
  func take(_ input: @Sendable (inout PairingMachine<Line>) -> [PairingMachine<Line>.Effect]) async {
    let before = machine.shown
    let effects = input(&machine)
    if machine.shown != before {
      change += 1
      ledger.context.changes.notify()
      ledger.context.feed.post(ChangeEvent(.pairing))
    }
    for effect in effects { await perform(effect) }
  }

  private func perform(_ effect: PairingMachine<Line>.Effect) async {
    switch effect {
    case .send(let frame, let line): line.connection.send(frame)
    case .lift(let line):
      line.connection.authenticated()
      line.ticket?.release()
    case .close(let line): line.connection.close()
    case .storePending(let peer, let line, let attempt):
      (isInviter ? CrashPoint.inviterAccepted : .joinerAccepted).reached()
      guard let wasPaired = await store(peer, line) else { return await take { $0.notStored(in: attempt) } }
      // A joiner opens no session before it has received the last message or lost the connection,
      // since a session would interfere.
      await take { $0.stored(wasPaired: wasPaired, in: attempt) }
      // The joiner may open a session that completes the pairing.
      if isInviter { await ledger.refresh(peer.keys.deviceID) }
      (isInviter ? CrashPoint.inviterCommitSent : .joinerAcknowledgementSent).reached()
    case .promote(let peer, let line, let attempt):
      (isInviter ? CrashPoint.inviterAcknowledged : .joinerDone).reached()
      guard await ledger.promote(peer, address: line.address) else { return await take { $0.notPromoted(in: attempt) } }
      (isInviter ? CrashPoint.inviterPromoted : .joinerPromoted).reached()
      ledger.context.logger.notice(
        "paired", metadata: ["name": "\(peer.name)", "device": "\(peer.keys.deviceID.short)"])
      await take { $0.promoted(in: attempt) }
      if isInviter { CrashPoint.inviterDoneSent.reached() }
    case .welcome(let peer):
      let device = await ledger.welcome(peer)
      await take { $0.welcomed(device) }
    case .discard(let device): await ledger.discard(device)
    case .remove(let device):
      let isRemoved = await ledger.remove(device)
      await take { $0.removed(isRemoved) }
    case .countFailure(let line, let attempt): await countFailure(line, attempt)
    case .abandoned(let line): service.withThrottle { $0.abandoned(line.connection.remoteHost, now: $1) }
    case .countRun(let attempt):
      let isCounted = await countRun()
      await take { isCounted ? $0.counted(in: attempt) : $0.notCounted(in: attempt) }
    case .creditRun:
      await ledger.commit { () async throws(StoreError) in
        try await self.ledger.context.store.creditRun(discriminator: self.discriminator)
      }
    case .settle(let peer): await settle(peer)
    case .force(let device):
      if await ledger.force(device) { await take { $0.forced() } }
    case .ended(let outcome):
      ledger.steps.mark(.ended)
      if isInviter, outcome != .ok {
        await ledger.commit { () async throws(StoreError) in
          try await self.ledger.context.store.close(self.pairingID, outcome)
        }
      }
      await service.ended(progress)
      ledger.steps.tell()
    }
  }

  /// Stores the peer as pending, and returns whether the device was paired before; `nil` if the
  /// disk refused.
  private func store(_ peer: PairedPeer, _ line: Line) async -> Bool? {
    guard isInviter else { return await storeAndKeep(peer, line) }
    let wasPaired = await ledger.savePending(peer, invitation: pairingID, childName: childName)
    if wasPaired != nil { CrashPoint.inviterPendingStored.reached() }
    return wasPaired
  }

  /// Counts a wrong guess before any answer.
  ///
  /// Spec: Protocol/03-pairing.md §7.
  private func countFailure(_ line: Line, _ attempt: Int) async {
    service.withThrottle { $0.failed(line.connection.remoteHost, now: $1) }
    let counted = await ledger.commit { () async throws(StoreError) in
      try await self.ledger.context.store.countFailure(self.pairingID)
    }
    // A guess that cannot be counted closes the code.
    let failures = counted ?? Limits.pairingFailures
    ledger.context.logger.warning("a wrong pairing code was tried", metadata: ["failures": "\(failures)"])
    await take { $0.counted(failures: failures, in: attempt) }
  }
}

extension PairingEntropy {
  static func draw() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }
}
