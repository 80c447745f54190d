import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The durable steps that both sides of a pairing share, each with its consequences in this node.
///
/// Spec: Protocol/03-pairing.md §5.
struct PairingLedger: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let steps: PairingSteps

  /// Stores a peer as pending, and returns whether the device was paired before; `nil` if the store
  /// refused.
  ///
  /// `invitation` is the code that the peer used, on the inviter. `address` is the inviter's, on
  /// the joiner.
  func savePending(
    _ peer: PairedPeer, invitation: String? = nil, childName: String? = nil, address: ReachedAddress? = nil
  ) async -> Bool? {
    // Read in parallel with the commit, which does not depend on it.
    async let known = record(peer.keys.deviceID)
    let name = await distinctName(peer)
    let stored = await commit { () async throws(StoreError) in
      try await context.store.savePending(
        RegisteredDevice(
          deviceID: peer.keys.deviceID, name: name, role: peer.role, childName: childName,
          identityKey: Hexadecimal.encode(peer.keys.identity.bytes), linkKey: Hexadecimal.encode(peer.keys.link.bytes),
          pairedAt: context.wall()),
        pairwiseKey: peer.keyBytes, invitation: invitation, address: address, isRenamed: name != peer.name,
        bootID: context.bootID, now: context.now())
    }
    let wasPaired = await known?.state == .active
    guard let stored else { return nil }
    // Another device that the code had left pending is rolled back.
    if let other = stored { await refresh(other) }
    return wasPaired
  }

  /// Returns the peer's name, with a number if another machine of the family or its child has it
  /// already: people name machines by both.
  private func distinctName(_ peer: PairedPeer) async -> DeviceName {
    let others = ((try? await context.store.peers()) ?? []).filter {
      $0.device.deviceID != peer.keys.deviceID && ($0.state == .active || $0.state == .pending)
    }
    return peer.name.distinct(from: others.flatMap { DeviceSearch.Label($0.device).names } + [context.name])
  }

  /// Makes a pending peer active, and returns whether the pairing is complete, possibly by a
  /// session with the new key; `false` if it was rolled back in the meantime or the store refused.
  func promote(_ peer: PairedPeer, address: ReachedAddress? = nil) async -> Bool {
    if await force(peer.keys.deviceID, address: address) { return true }
    return await isCompleted(peer)
  }

  /// Makes a pending device active; returns `false` if it is not pending or the store refused.
  func force(_ device: DeviceID, address: ReachedAddress? = nil) async -> Bool {
    await commit { () async throws(StoreError) in
      try await context.store.promote(device, address: address, at: context.wall())
    } ?? false
  }

  /// Returns whether a session with the new key has completed this pairing.
  func isCompleted(_ peer: PairedPeer) async -> Bool {
    guard let record = await record(peer.keys.deviceID), record.state == .active else { return false }
    // The inviter may have replaced the key since.
    return record.keys.present == peer.keyBytes || record.keys.previous == peer.keyBytes
  }

  /// Informs the rest of this node about an active device, and returns its record.
  func welcome(_ peer: PairedPeer) async -> RegisteredDevice? {
    let device = peer.keys.deviceID
    _ = steps.during(.keyFile) { keepDiscoveryKey(of: peer) }
    await refresh(device)
    await welcome(device)
    return await record(device)?.device
  }

  /// Informs discovery about an active device, and withdraws the warning about its removal.
  func welcome(_ device: DeviceID) async {
    context.warn(PeerLink.removalWarning(device), nil)
    do { try await directory.tellParents() } catch {
      // The durable list is sent in the next session.
      context.logger.warning("parents were not told at once", metadata: ["reason": "\(error)"])
    }
    context.householdNews.notify()
    await discovery.keysOrMembersChanged()
  }

  /// Stores the discovery key of the household that a pairing leads into; returns `false` if the
  /// disk refused.
  func keepDiscoveryKey(of peer: PairedPeer) -> Bool {
    guard let key = peer.discoveryKey, key != context.discoveryKey else { return true }
    do {
      try context.keep(discoveryKey: key)
      return true
    } catch {
      context.warn("keys", "The household's key could not be kept (\(error)): make room on the disk and pair again.")
      return false
    }
  }

  /// Rolls a pending pairing back; returns `false` if the store refused.
  @discardableResult
  func discard(_ device: DeviceID) async -> Bool {
    let discarded: Void? = await commit { () async throws(StoreError) in
      try await context.store.discardPending(device)
    }
    await refresh(device)
    return discarded != nil
  }

  /// Ends a pending pairing for the person, and keeps its key for a session; returns `false` if the
  /// store refused.
  func lapse(_ device: DeviceID) async -> Bool {
    let lapsed: Void? = await commit { () async throws(StoreError) in
      try await context.store.lapse(device, bootID: context.bootID, now: context.now())
    }
    await refresh(device)
    return lapsed != nil
  }

  /// Removes a device whose pairing was cancelled too late, and sends it a signed notice; returns
  /// `false` if the store refused.
  func remove(_ device: DeviceID) async -> Bool {
    let removal = RemovalNotice.make(by: context.identity, sender: context.own, receiver: device)
    let removed = await commit { () async throws(StoreError) in
      try await context.store.remove(device, removal: removal, itemID: Array(context.runID), at: context.wall())
    }
    guard removed != nil else { return false }
    await refresh(device)
    await directory.link(device)?.removed()
    await discovery.keysOrMembersChanged()
    return true
  }

  /// Passes a device's state in the database to its link.
  func refresh(_ device: DeviceID) async {
    do { try await directory.refresh(device) } catch {
      context.logger.error("a paired device could not be read", metadata: ["reason": "\(error)"])
    }
  }

  func record(_ device: DeviceID) async -> PeerRecord? { try? await context.store.peer(device) }

  /// Runs a transaction; returns `nil` if the store refused.
  @discardableResult
  func commit<Value: Sendable>(_ body: @Sendable () async throws(StoreError) -> Value) async -> Value? {
    let began = steps.begin()
    defer { steps.end(.commit, began) }
    do { return try await body() } catch {
      context.logger.error("a database operation failed", metadata: ["reason": "\(error)"])
      return nil
    }
  }
}

extension PairedPeer {
  fileprivate var keyBytes: [UInt8] { pairwiseKey.secret.withUnsafeBytes { Array($0) } }
}

extension DeviceKeys {
  /// Creates the public keys of a known device; `nil` if the stored bytes are not keys.
  init?(_ device: RegisteredDevice) {
    guard let identity = Hexadecimal.decode(device.identityKey), let link = Hexadecimal.decode(device.linkKey),
      let identityKey = try? IdentityPublicKey(bytes: identity), let linkKey = try? LinkPublicKey(bytes: link)
    else { return nil }
    self.init(identity: identityKey, link: linkKey)
  }
}
