import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// One open code on this node: serves the joiners that use it, one at a time, and carries out its machine's effects.
actor Inviter: PairingRole {
  /// A joiner's connection, with its place among unauthenticated connections.
  struct Line: Sendable {
    let connection: FrameConnection
    let ticket: StrangerTicket
  }

  nonisolated let pairingID: String
  nonisolated let discriminator: UInt16
  private let childName: String?
  private let asksPerson: Bool
  private let service: PairingService
  let ledger: PairingLedger
  var machine: InvitationMachine<Line>
  var change = 1

  /// Opens a code.
  ///
  /// `address` is the address of this node in the pasted code.
  init(_ record: InvitationRecord, at address: PairingCode.Address?, service: PairingService) {
    pairingID = record.pairingID
    discriminator = record.discriminator
    childName = record.childName
    asksPerson = !record.acceptsWithoutAsking
    self.service = service
    ledger = service.ledger()
    let typed =
      record.typedSecret.count == TypedCode.secretSymbols
      ? TypedCode(discriminator: record.discriminator, secretValues: record.typedSecret) : nil
    let pasted = PairingCode(
      discriminator: record.discriminator, minutesValid: UInt8(record.minutes), secret: SecretBytes(record.secret),
      commitment: service.context.party.keys.codeCommitment, address: address)
    machine = InvitationMachine(
      pairingID: record.pairingID, pasted: pasted, typed: typed, deadline: record.deadline,
      childName: record.childName, failures: record.failures, half: record.pendingDevice)
  }

  /// The progress and both forms of the code, for the person who has just opened it.
  var opened: PairingProgress {
    var progress = progress
    if case .pasted(let code) = machine.credential(isTyped: false) { progress.code = code.text }
    if case .typed(let code) = machine.credential(isTyped: true) { progress.typedCode = code.text }
    return progress
  }

  /// The time at which the code expires; `nil` if it is used up or closed.
  var deadline: BootInstant? { machine.deadline }

  /// Closes the code if it has expired.
  func timerFired() async {
    let now = ledger.context.now()
    await take { $0.timerFired(now) }
  }

  func completed(_ device: DeviceID, as registered: RegisteredDevice?) async {
    await take { $0.completed(device, as: registered) }
  }

  func rolledBack(_ device: DeviceID) { machine.rolledBack(device) }

  /// Serves a joiner that has sent its first frame, until it is gone.
  func serve(_ first: [UInt8], isTyped: Bool, _ line: Line, _ frames: FrameReader) async {
    let (context, steps) = (ledger.context, ledger.steps)
    guard let discoveryKey = context.discoveryKey, let code = machine.credential(isTyped: isTyped) else { return }
    let began = steps.begin()
    let attempt = machine.connected(
      line,
      PairingInviterMachine(
        own: context.party, code: code, joinerRole: .child, entropy: .draw(), discoveryKey: discoveryKey,
        asksPerson: asksPerson))
    steps.end(.handshake, began)
    guard let attempt else {
      line.connection.send(PairingNotice.busy.frame)
      return line.connection.close()
    }
    CrashPoint.inviterOpening.reached()
    var following: [UInt8]? = first
    while let frame = following {
      await take { machine in steps.during(.handshake) { machine.received(frame, in: attempt) } }
      guard machine.isUnderWay(attempt) else { break }
      service.watch()
      following = await frames.next(within: machine.patience, steps)
    }
    await take { $0.lost(attempt) }
    line.connection.close()
    service.watch()
  }

  func perform(_ effect: InvitationMachine<Line>.Effect) async {
    switch effect {
    case .send(let frame, let line): line.connection.send(frame)
    case .lift(let line):
      line.connection.authenticated()
      line.ticket.release()
    case .close(let line): line.connection.close()
    case .storePending(let peer, let attempt): await store(peer, attempt)
    case .promote(let peer, let attempt): await promote(peer, attempt)
    case .welcome(let peer):
      let device = await ledger.welcome(peer)
      await take { $0.welcomed(device) }
    case .discard(let device): await ledger.discard(device)
    case .remove(let device):
      let isRemoved = await ledger.remove(device)
      await take { $0.removed(isRemoved) }
    case .countFailure(let line, let attempt): await count(line, attempt)
    case .abandoned(let line): service.withThrottle { $0.abandoned(line.connection.remoteHost, now: $1) }
    case .ended(let outcome):
      ledger.steps.mark(.ended)
      if outcome != .ok {
        await ledger.commit { () async throws(StoreError) in
          try await self.ledger.context.store.close(self.pairingID, outcome)
        }
      }
      await service.ended(progress)
      ledger.steps.tell()
    }
  }

  private func store(_ peer: PairedPeer, _ attempt: Int) async {
    CrashPoint.inviterAccepted.reached()
    guard let wasPaired = await ledger.savePending(peer, invitation: pairingID, childName: childName) else {
      return await take { $0.notStored(in: attempt) }
    }
    CrashPoint.inviterPendingStored.reached()
    await take { $0.stored(wasPaired: wasPaired, in: attempt) }
    // The joiner may open a session that completes the pairing.
    await ledger.refresh(peer.keys.deviceID)
    CrashPoint.inviterCommitSent.reached()
  }

  private func promote(_ peer: PairedPeer, _ attempt: Int) async {
    CrashPoint.inviterAcknowledged.reached()
    guard await ledger.promote(peer) else { return await take { $0.notPromoted(in: attempt) } }
    CrashPoint.inviterPromoted.reached()
    ledger.context.logger.notice(
      "paired", metadata: ["name": "\(peer.name)", "device": "\(peer.keys.deviceID.short)"])
    await take { $0.promoted(in: attempt) }
    CrashPoint.inviterDoneSent.reached()
  }

  /// Counts a wrong guess before any answer.
  ///
  /// Spec: Protocol/03-pairing.md §7.
  private func count(_ line: Line, _ attempt: Int) async {
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
