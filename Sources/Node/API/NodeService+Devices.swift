import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

extension NodeService {
  /// Removes a device and tells it.
  public func unpair(device: String) async throws(LocalAPIError) -> UnpairResult {
    let peer = try await findListed(device)
    let id = peer.device.deviceID
    if peer.state == .removedUntold {
      return UnpairResult(device: peer.device, wasTold: false, cancelledCommands: 0)
    }
    let removal = RemovalNotice.make(by: context.identity, sender: context.own, receiver: id)
    let context = context
    let removed = try await stored { () async throws(StoreError) in
      try await context.store.remove(id, removal: removal, itemID: Array(context.runID), at: context.wall())
    }
    try await stored { () async throws(StoreError) in try await directory.removed(id) }
    let link = await directory.link(id)
    try await handOut(removed.rotations)
    // A connected device hears of it at once; one that is away when it next calls.
    let deadline = context.now() + 2_000
    var wasTold = false
    while !wasTold, await link?.isDone == false, context.now() < deadline {
      let seen = context.changes.version
      wasTold = try await isGone(id)
      if !wasTold { await context.changes.wait(after: seen, milliseconds: 100) }
    }
    return Self.report(peer, removed, wasTold: try await isGone(id))
  }

  /// Removes a device in any state without telling it, and erases its keys.
  public func forget(device: String) async throws(LocalAPIError) -> UnpairResult {
    let peer = try await findListed(device)
    let id = peer.device.deviceID
    let context = context
    let removed = try await stored { () async throws(StoreError) in
      try await context.store.remove(id, removal: nil, itemID: [], at: context.wall())
    }
    await directory.link(id)?.vanish()
    try await stored { () async throws(StoreError) in try await directory.refresh(id) }
    try await handOut(removed.rotations)
    return Self.report(peer, removed, wasTold: false)
  }

  /// Ends the quarantine of a device.
  public func release(device: String) async throws(LocalAPIError) -> PeerStatus {
    let peer = try await findListed(device)
    let id = peer.device.deviceID
    let context = context
    let wasQuarantined = try await stored { () async throws(StoreError) in
      try await context.store.release(id, at: context.wall())
    }
    // Also one that the disk refused to keep, and that holds until the node is started again.
    guard wasQuarantined || peer.marks.contains(.quarantined) else {
      throw LocalAPIError(
        .tooLate, "“\(peer.device.name)” is not quarantined: see `latchkey devices show` for what holds it up.")
    }
    try await stored { () async throws(StoreError) in try await directory.refresh(id) }
    context.changes.notify()
    guard let status = try await devices().first(where: { $0.device.deviceID == id }) else {
      throw LocalAPIError(.unknownDevice, StoreError.noSuchPeer.description)
    }
    return status
  }

  /// Signals new keys to the links of the remaining devices, and the household's new discovery key to all links.
  private func handOut(_ rotations: [OutboxChange]) async throws(LocalAPIError) {
    do {
      try await context.reloadHousehold()
      try await directory.handOut(rotations)
    } catch { throw LocalAPIError(error) }
    context.changes.notify()
  }

  private func isGone(_ device: DeviceID) async throws(LocalAPIError) -> Bool {
    try await stored { () async throws(StoreError) in try await context.store.peers() }
      .contains { $0.device.deviceID == device && $0.state == .removed }
  }

  private static func report(_ peer: PeerRecord, _ removed: RemovalResult, wasTold: Bool) -> UnpairResult {
    var gone = peer.device
    gone.state = .removed
    return UnpairResult(
      device: gone, wasTold: wasTold, cancelledCommands: removed.cancelled.count,
      cancelled: Array(removed.cancelled.prefix(UnpairResult.namedCommands)), droppedItems: removed.droppedItems)
  }
}
