import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Logging

/// The durable steps that both sides of a pairing share, each followed by what this node does about it.
///
/// Spec: Protocol/03-pairing.md §5.
struct PairingLedger: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let steps: PairingSteps

  /// Makes a peer durable as pending.
  ///
  /// - Parameters:
  ///   - invitation: on the inviter, the code that the peer used.
  ///   - address: on the joiner, where the inviter is.
  /// - Returns: whether the device was paired before; `nil` when the store refused.
  func savePending(
    _ peer: PairedPeer, invitation: String? = nil, childName: String? = nil, address: ReachedAddress? = nil
  ) async -> Bool? {
    // What need not be known before the commit is read beside it.
    async let known = record(peer.keys.deviceID)
    let stored = await commit { () async throws(StoreError) in
      try await context.store.savePending(
        RegisteredDevice(
          deviceID: peer.keys.deviceID, name: peer.name, role: peer.role, childName: childName,
          identityKey: Hexadecimal.encode(peer.keys.identity.bytes), linkKey: Hexadecimal.encode(peer.keys.link.bytes),
          pairedAt: context.wall()),
        pairwiseKey: peer.keyBytes, invitation: invitation, address: address, bootID: context.bootID,
        now: context.now())
    }
    let wasPaired = await known?.state == .active
    guard let stored else { return nil }
    // Another device that the code had left half paired is rolled back.
    if let other = stored { await refresh(other) }
    return wasPaired
  }

  /// Makes a pending peer active.
  ///
  /// - Returns: whether the pairing is in force, which a session with the new key may have brought about already; false
  ///   when it was rolled back meanwhile, or the store refused.
  func promote(_ peer: PairedPeer, address: ReachedAddress? = nil) async -> Bool {
    if await force(peer.keys.deviceID, address: address) { return true }
    return await isCompleted(peer)
  }

  /// Makes a pending device active; false when it is not pending, or the store refused.
  func force(_ device: DeviceID, address: ReachedAddress? = nil) async -> Bool {
    await commit { () async throws(StoreError) in
      try await context.store.promote(device, address: address, at: context.wall())
    } ?? false
  }

  /// Returns whether a session with the new key has completed this very pairing.
  func isCompleted(_ peer: PairedPeer) async -> Bool {
    guard let record = await record(peer.keys.deviceID), record.state == .active else { return false }
    // The inviter may have given it another one by now.
    return record.keys.present == peer.keyBytes || record.keys.previous == peer.keyBytes
  }

  /// Has the rest of this node know a device that is active now.
  ///
  /// - Returns: the device, as it is listed.
  func welcome(_ peer: PairedPeer) async -> RegisteredDevice? {
    let device = peer.keys.deviceID
    _ = steps.during(.keyFile) { keepHousehold(of: peer) }
    await refresh(device)
    await welcome(device)
    return await record(device)?.device
  }

  /// Has discovery know an active device, and takes back what was said of its removal.
  func welcome(_ device: DeviceID) async {
    context.warn(PeerLink.removalWarning(device), nil)
    await discovery.householdChanged()
  }

  /// Keeps the discovery key of the household that a pairing leads into; false when the disk refused.
  func keepHousehold(of peer: PairedPeer) -> Bool {
    guard let key = peer.discoveryKey, key != context.discoveryKey else { return true }
    do {
      try context.keep(discoveryKey: key)
      return true
    } catch {
      context.warn("keys", "The household's key could not be kept (\(error)): make room on the disk and pair again.")
      return false
    }
  }

  /// Rolls a half-made pairing back; false when the store refused.
  @discardableResult
  func discard(_ device: DeviceID) async -> Bool {
    let discarded: Void? = await commit { () async throws(StoreError) in
      try await context.store.discardPending(device)
    }
    await refresh(device)
    return discarded != nil
  }

  /// Ends a half-made pairing for the person, and keeps its key for a session; false when the store refused.
  func lapse(_ device: DeviceID) async -> Bool {
    let lapsed: Void? = await commit { () async throws(StoreError) in
      try await context.store.lapse(device, bootID: context.bootID, now: context.now())
    }
    await refresh(device)
    return lapsed != nil
  }

  /// Removes a device again whose pairing was broken off too late; the other machine hears of it, signed.
  ///
  /// - Returns: false when the store refused.
  func remove(_ device: DeviceID) async -> Bool {
    let removal = RemovalNotice.make(by: context.identity, sender: context.own, receiver: device)
    let removed = await commit { () async throws(StoreError) in
      try await context.store.remove(device, removal: removal, itemID: Array(context.runID), at: context.wall())
    }
    guard removed != nil else { return false }
    await refresh(device)
    await directory.link(device)?.removed()
    await discovery.householdChanged()
    return true
  }

  /// Has the links know what the database holds about a device.
  func refresh(_ device: DeviceID) async {
    do { try await directory.refresh(device) } catch {
      context.logger.error("a paired device could not be read", metadata: ["reason": "\(error)"])
    }
  }

  func record(_ device: DeviceID) async -> PeerRecord? {
    try? await context.store.peer(device)
  }

  /// Runs a transaction; `nil` when the store refused.
  @discardableResult
  func commit<Value: Sendable>(
    _ body: @Sendable () async throws(StoreError) -> Value
  ) async -> Value? {
    let began = steps.begin()
    defer { steps.end(.commit, began) }
    do { return try await body() } catch {
      context.logger.error("the database refused", metadata: ["reason": "\(error)"])
      return nil
    }
  }
}

extension PairedPeer {
  /// The pairwise key, 32 bytes.
  fileprivate var keyBytes: [UInt8] { pairwiseKey.secret.withUnsafeBytes { Array($0) } }
}
