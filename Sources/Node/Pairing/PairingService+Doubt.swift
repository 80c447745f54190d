import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Logging

/// What happens to pairings that nobody has said the last word of. Spec: Protocol/03-pairing.md §5.
extension PairingService {
  /// Whether the other side may have made it final already.
  func isPastReturn(_ id: String) async -> Bool {
    guard let pairing = pairings[id] else { return false }
    return pairing.isInDoubt || pairing.isFinal || pairing.inviter?.isPastReturn == true
      || pairing.joiner?.isPastReturn == true
  }

  /// Let a joiner wait for a session to bring the last word; false when nothing of the pairing is left.
  func waitInDoubt(_ id: String) async -> Bool {
    guard let peer = pairings[id]?.pending, pairings[id]?.progress.phase != .ended else { return false }
    let device = peer.keys.deviceID
    if await completedAlready(peer) {
      await completedBySession(device)
      return true
    }
    guard await record(device)?.pendingKey != nil else { return false }
    pairings[id]?.isInDoubt = true
    await refresh(device)
    change(id) { progress in
      progress.phase = .committing
      progress.sentence = Self.doubtSentence
    }
    if pairings[id]?.undoes == true { await undo(id) }
    watch()
    return true
  }

  static let doubtSentence =
    "The connection broke off at the last step: waiting up to a minute for the other machine to say how it ended."

  /// A person breaks off what cannot be broken off any more: it is made final here, and then taken back, signed.
  func undo(_ id: String) async {
    pairings[id]?.undoes = true
    guard pairings[id]?.isInDoubt == true, let device = pairings[id]?.pending?.keys.deviceID else { return }
    // A device that was paired before stays so: only its new key is in doubt.
    if pairings[id]?.wasPaired == true { return await close(id, .cancelled) }
    var isPromoted = false
    await tryStore(id) { () async throws(StoreError) in
      isPromoted = try await self.context.store.promote(device, at: self.context.wall())
    }
    if isPromoted { await undoFinished(id) }
  }

  /// The pairing is done and its person has taken it back meanwhile: the other machine hears of it, signed.
  func undoFinished(_ id: String) async {
    pairings[id]?.undoes = false
    guard let device = pairings[id]?.pending?.keys.deviceID else { return await close(id, .cancelled) }
    let removal = RemovalNotice.make(by: context.identity, sender: context.own, receiver: device)
    let isRemoved = await tryStore(id) { () async throws(StoreError) in
      _ = try await self.context.store.remove(
        device, removal: removal, itemID: Array(self.context.runID), at: self.context.wall())
    }
    guard isRemoved else { return await close(id, .ok) }
    await refresh(device)
    await directory.link(device)?.removed()
    await discovery.householdChanged()
    change(id) { $0.device = nil }
    await close(id, .cancelled)
  }

  /// Roll back what has been half paired for too long, or since another boot.
  ///
  /// An inviter has said its last word only when the device is active, so it can forget. A joiner cannot know whether it was
  /// said: for its person the pairing is over, and the key is kept so that a session of the inviter can still complete it.
  func rollBackPending() async {
    guard let peers = try? await context.store.peers() else { return }
    for record in peers where record.pendingKey != nil {
      let isThisBoot = record.pendingBootID == context.bootID
      let age = isThisBoot ? context.now() - (record.pendingSince ?? context.now()) : .max
      guard age >= timeToRollBack(record) else { continue }
      let device = record.device.deviceID
      if context.profile.role == .parent || (record.hasLapsed && isThisBoot) {
        context.logger.warning("a half-made pairing was rolled back", metadata: ["name": "\(record.device.name)"])
        await tryStore("") { () async throws(StoreError) in try await self.context.store.discardPending(device) }
      } else {
        context.logger.warning("a half-made pairing had no last word", metadata: ["name": "\(record.device.name)"])
        await tryStore("") { () async throws(StoreError) in
          try await self.context.store.lapse(device, bootID: self.context.bootID, now: self.context.now())
        }
      }
      await refresh(device)
      for (id, pairing) in pairings where pairing.isInDoubt && pairing.pending?.keys.deviceID == device {
        await close(id, .network)
      }
    }
  }

  private func timeToRollBack(_ record: PeerRecord) -> Int64 {
    record.hasLapsed ? Limits.pairingDoubtMilliseconds : Limits.pairingCommitMilliseconds
  }

  /// Milliseconds until something has to be rolled back.
  func nextRollBack() async -> Int64? {
    let pending = (try? await context.store.peers())?.filter { $0.pendingKey != nil } ?? []
    return pending.compactMap { record in
      record.pendingSince.map { $0 + timeToRollBack(record) - context.now() }
    }.min()
  }

  /// A new pairing begins: what others left in doubt is of no interest any more.
  func forgetLapsed(except device: DeviceID) async {
    for record in (try? await context.store.peers()) ?? [] where record.hasLapsed {
      let other = record.device.deviceID
      guard other != device, record.state == .pending else { continue }
      await tryStore("") { () async throws(StoreError) in try await self.context.store.discardPending(other) }
      await refresh(other)
    }
  }

  func record(_ device: DeviceID) async -> PeerRecord? {
    (try? await context.store.peers())?.first { $0.device.deviceID == device }
  }
}
