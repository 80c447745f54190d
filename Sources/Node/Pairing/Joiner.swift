import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// One join on this node: looks for the machine that shows the code, and carries out its machine's effects.
actor Joiner: PairingRole {
  /// A connection to a machine that may be the inviter.
  struct Line: Sendable {
    let connection: FrameConnection
    let source: AddressSource

    /// The inviter's address, for later sessions and for the one that may have to complete this pairing.
    var address: ReachedAddress {
      ReachedAddress(connection.remote, source: source, network: NetworkMark.current())
    }
  }

  nonisolated let pairingID: String
  let code: PairingCredential
  let asksPerson: Bool
  let service: PairingService
  let ledger: PairingLedger
  var machine: JoinMachine<Line>
  var change = 1

  init(_ pairingID: String, _ code: PairingCredential, asksPerson: Bool, service: PairingService) {
    self.pairingID = pairingID
    self.code = code
    self.asksPerson = asksPerson
    self.service = service
    ledger = service.ledger()
    machine = JoinMachine(pairingID: pairingID, discriminator: code.discriminator)
    ledger.steps.mark(.entered)
  }

  func superseded() async { await take { $0.superseded() } }
  func completed(_ device: DeviceID, as registered: RegisteredDevice?) async { await take { $0.completed(device) } }
  func rolledBack(_ device: DeviceID) async { await take { $0.lapsed(device) } }

  /// Exchanges frames with a machine that may be the inviter, until the attempt has ended.
  func converse(
    _ opening: PairingJoinerMachine, _ connection: FrameConnection, _ frames: FrameReader, _ source: AddressSource
  ) async {
    let steps = ledger.steps
    guard let attempt = machine.connected(Line(connection: connection, source: source), opening) else { return }
    CrashPoint.joinerDialled.reached()
    connection.send(opening.opening.frame)
    while machine.isUnderWay(attempt), let frame = await frames.next(within: machine.patience, steps) {
      await take { machine in steps.during(.handshake) { machine.received(frame, in: attempt) } }
      service.watch()
    }
    await take { $0.lost(attempt) }
    service.watch()
  }

  func perform(_ effect: JoinMachine<Line>.Effect) async {
    switch effect {
    case .send(let frame, let line): line.connection.send(frame)
    case .lift(let line): line.connection.authenticated()
    case .close(let line): line.connection.close()
    case .storePending(let peer, let line, let attempt): await store(peer, line, attempt)
    case .promote(let peer, let line, let attempt): await promote(peer, line, attempt)
    case .welcome(let peer):
      let device = await ledger.welcome(peer)
      await take { $0.welcomed(device) }
    case .settle(let peer): await settle(peer)
    case .force(let device):
      if await ledger.force(device) { await take { $0.forced() } }
    case .discard(let device): await ledger.discard(device)
    case .remove(let device):
      let isRemoved = await ledger.remove(device)
      await take { $0.removed(isRemoved) }
    case .countRun(let attempt):
      let isCounted = await countRun()
      await take { isCounted ? $0.counted(in: attempt) : $0.notCounted(in: attempt) }
    case .creditRun:
      await ledger.commit { () async throws(StoreError) in
        try await self.ledger.context.store.creditRun(discriminator: self.code.discriminator)
      }
    case .ended:
      ledger.steps.mark(.ended)
      await service.ended(progress)
      ledger.steps.tell()
    }
  }

  private func store(_ peer: PairedPeer, _ line: Line, _ attempt: Int) async {
    CrashPoint.joinerAccepted.reached()
    // A household that this machine belongs to keeps its key until another's pairing is complete. The key of the first
    // one has to be on disk before the inviter learns of it, and is written in parallel with the commit.
    let isFirstHousehold = ledger.context.discoveryKey == nil
    let began = isFirstHousehold ? ledger.steps.begin() : nil
    async let isKept = isFirstHousehold ? keepAside(peer) : true
    async let forgotten: Void = forgetLapsed(except: peer.keys.deviceID)
    let wasPaired = await ledger.savePending(peer, address: line.address)
    let isComplete = await isKept
    await forgotten
    ledger.steps.end(.keyFile, began)
    guard let wasPaired else { return await take { $0.notStored(in: attempt) } }
    CrashPoint.joinerPendingStored.reached()
    guard isComplete else { return await take { $0.notStored(in: attempt) } }
    // This side opens no session before it has received the last message or lost the connection, since a session would
    // interfere.
    await take { $0.stored(wasPaired: wasPaired, in: attempt) }
    CrashPoint.joinerAcknowledgementSent.reached()
  }

  private func promote(_ peer: PairedPeer, _ line: Line, _ attempt: Int) async {
    CrashPoint.joinerDone.reached()
    guard await ledger.promote(peer, address: line.address) else {
      return await take { $0.notPromoted(in: attempt) }
    }
    CrashPoint.joinerPromoted.reached()
    ledger.context.logger.notice(
      "paired", metadata: ["name": "\(peer.name)", "device": "\(peer.keys.deviceID.short)"])
    await take { $0.promoted(in: attempt) }
  }

  /// Finds out how a pairing ended whose last message did not arrive.
  private func settle(_ peer: PairedPeer) async {
    let device = peer.keys.deviceID
    if await ledger.isCompleted(peer) { return await take { $0.completed(device) } }
    guard await ledger.record(device)?.pendingKey != nil else { return await take { $0.lapsed(device) } }
    await ledger.refresh(device)
    await take { $0.doubted() }
    service.watch()
  }

  /// Stores the household's key on another thread, while this actor waits for a commit.
  @concurrent private nonisolated func keepAside(_ peer: PairedPeer) async -> Bool {
    ledger.keepHousehold(of: peer)
  }

  /// Discards the unconfirmed pairings of earlier attempts, which are irrelevant once another one is stored.
  private func forgetLapsed(except device: DeviceID) async {
    for record in (try? await ledger.context.store.peers()) ?? [] where record.hasLapsed && record.state == .pending {
      let other = record.device.deviceID
      if other != device { await ledger.discard(other) }
    }
  }
}
