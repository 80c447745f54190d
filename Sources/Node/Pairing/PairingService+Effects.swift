import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// What a pairing's machine asks for: words to the other side, and what has to be durable before them.
extension PairingService {
  /// Run a machine's effects in their order.
  func perform(_ id: String, _ effects: [PairingEffect]) async {
    for effect in effects {
      switch effect {
      case .send(let frame): pairings[id]?.connection?.send(frame)
      case .ask(let name, let role, let digits):
        pairings[id]?.connection?.authenticated()
        change(id) { progress in
          progress.phase = .asking
          progress.attempt += 1
          progress.peerName = name
          progress.peerRole = role
          progress.digits = digits
          // What became of the attempt before is no word about this one.
          progress.sentence = nil
        }
      case .storePending(let peer): await storePending(id, peer)
      case .promote(let peer): await promote(id, peer)
      case .discard(let device):
        await tryStore(id) { () async throws(StoreError) in try await self.context.store.discardPending(device) }
        await refresh(device)
      case .countFailure: await countFailure(id)
      case .countRun: await countRun(id)
      case .creditRun:
        if let discriminator = pairings[id]?.discriminator {
          await tryStore(id) { () async throws(StoreError) in
            try await self.context.store.creditRun(discriminator: discriminator)
          }
        }
      case .finish(let outcome): await attemptEnded(id, outcome)
      }
    }
  }

  func storePending(_ id: String, _ peer: PairedPeer) async {
    CrashPoint.reach(.inviterAccepted, .joinerAccepted, isInviter: isInviter(id))
    change(id) { $0.phase = .committing }
    let device = peer.keys.deviceID
    let (isJoiner, isFirstHousehold) = (!isInviter(id), context.discoveryKey == nil)
    // What need not be known or done before the commit is done beside it. A household that this machine is in already keeps
    // its key until another's pairing is complete; the first one's has to be on the disk before the inviter hears of it.
    let began = isFirstHousehold ? steps.begin() : nil
    async let isKept = isFirstHousehold ? keepAside(peer) : true
    async let known = record(device)
    async let forgotten: Void = isJoiner ? forgetLapsed(except: device) : ()
    let isStored = await tryStore(id) { () async throws(StoreError) in
      try await self.context.store.savePending(
        RegisteredDevice(
          deviceID: device, name: peer.name, role: peer.role,
          childName: self.pairings[id]?.record?.childName, identityKey: Hexadecimal.encode(peer.keys.identity.bytes),
          linkKey: Hexadecimal.encode(peer.keys.link.bytes), pairedAt: self.context.wall()),
        pairwiseKey: peer.pairwiseKey.secret.withUnsafeBytes { Array($0) },
        invitation: self.pairings[id]?.record?.pairingID, address: self.dialledAddress(id),
        bootID: self.context.bootID, now: self.context.now())
    }
    let wasPaired = await known?.state == .active
    pairings[id]?.wasPaired = wasPaired
    let isComplete = await isKept && isStored
    await forgotten
    steps.end(.keyFile, began)
    guard isStored else { return await end(id, .network) }
    pairings[id]?.pending = peer
    CrashPoint.reach(.inviterPendingStored, .joinerPendingStored, isInviter: isInviter(id))
    guard isComplete else { return await end(id, .network) }
    let effects = pairings[id]?.inviter?.stored() ?? pairings[id]?.joiner?.stored() ?? []
    await perform(id, effects)
    // A joiner opens no session before it has heard the last word or lost the connection: it would only get in the way.
    if !isJoiner { await refresh(device) }
    CrashPoint.reach(.inviterCommitSent, .joinerAcknowledgementSent, isInviter: isInviter(id))
  }

  func promote(_ id: String, _ peer: PairedPeer) async {
    let device = peer.keys.deviceID
    CrashPoint.reach(.inviterAcknowledged, .joinerDone, isInviter: isInviter(id))
    var isPromoted = false
    await tryStore(id) { () async throws(StoreError) in
      isPromoted = try await self.context.store.promote(
        device, address: self.dialledAddress(id), at: self.context.wall())
    }
    // Rolled back meanwhile, or the disk refused: then the other side hears nothing and rolls back too, unless a session
    // with the new key completes the pairing.
    let isInForce = await isPromoted ? true : completedAlready(peer)
    guard isInForce else { return await attemptEnded(id, .network) }
    CrashPoint.reach(.inviterPromoted, .joinerPromoted, isInviter: isInviter(id))
    pairings[id]?.isFinal = true
    // The other machine waits for the last word; what is left here is of this machine alone.
    let effects = pairings[id]?.inviter?.promoted() ?? pairings[id]?.joiner?.promoted() ?? []
    await perform(id, effects.filter(\.isSend))
    let began = steps.begin()
    _ = keepHousehold(peer)
    steps.end(.keyFile, began)
    await refresh(device)
    await discovery.householdChanged()
    takeBackRemoval(device)
    if let record = try? await context.store.peers().first(where: { $0.device.deviceID == device }) {
      change(id) { $0.device = record.device }
    }
    context.logger.notice("paired", metadata: ["name": "\(peer.name)", "device": "\(device.short)"])
    await perform(id, effects.filter { !$0.isSend })
    if isInviter(id) { CrashPoint.inviterDoneSent.reached() }
  }

  /// Where the inviter is, which is worth a try for the sessions to come and for the one that may have to complete this.
  func dialledAddress(_ id: String) -> ReachedAddress? {
    guard let pairing = pairings[id], pairing.joiner != nil, let remote = pairing.connection?.remote else { return nil }
    return ReachedAddress(remote, source: pairing.source, network: NetworkMark.current())
  }

  /// Whether a session with the new key was faster and has completed this very pairing.
  func completedAlready(_ peer: PairedPeer) async -> Bool {
    let key = peer.pairwiseKey.secret.withUnsafeBytes { Array($0) }
    let record = await record(peer.keys.deviceID)
    // The inviter may have given it another one by now.
    return record?.state == .active && record.map { $0.keys.present == key || $0.keys.previous == key } == true
  }

  /// Keep the discovery key of the household that a pairing leads into; false when the disk refused.
  private nonisolated func keepHousehold(_ peer: PairedPeer) -> Bool {
    guard let key = peer.discoveryKey, key != context.discoveryKey else { return true }
    do {
      try context.keep(discoveryKey: key)
      return true
    } catch {
      context.warn("keys", "The household's key could not be kept (\(error)): make room on the disk and pair again.")
      return false
    }
  }

  /// The same on another thread, while this actor waits for a commit.
  @concurrent private nonisolated func keepAside(_ peer: PairedPeer) async -> Bool { keepHousehold(peer) }

  /// A session with a pending pairing's key has completed it.
  func completedBySession(_ device: DeviceID) async {
    takeBackRemoval(device)
    await discovery.householdChanged()
    // Earlier pairings of the same device are over: it is an open one that this completes.
    for (id, pairing) in pairings
    where pairing.progress.phase != .ended && pairing.pending?.keys.deviceID == device {
      if let peer = pairing.pending { _ = keepHousehold(peer) }
      if let record = await record(device) { change(id) { $0.device = record.device } }
      await attemptEnded(id, .ok)
    }
  }

  /// Paired anew, a device has not removed this one any more.
  func takeBackRemoval(_ device: DeviceID) {
    context.warn(PeerLink.removalWarning(device), nil)
  }
}
