import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The removal of machines from the household.
///
/// Spec: Protocol/04-session.md §3.
extension Endpoints {
  package static let deleteDevice = Endpoint(
    .delete, "/v1/devices/{device}", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device and lets it know."
  ) { call, device in try await call.unpair(device) }

  package static let forgetDevice = Endpoint(
    .post, "/v1/devices/{device}/forget", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device in any state, without a word to it."
  ) { call, device in try await call.remove(device) }
}

extension Call {
  fileprivate func unpair(_ device: String) async throws -> UnpairResult {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    if peer.state == .removedUntold { return UnpairResult(device: peer.device, wasTold: false, cancelledCommands: 0) }
    let removal = RemovalNotice.make(by: context.identity, sender: own, receiver: id)
    let removed = try await store.remove(id, removal: removal, itemID: Array(context.runID), at: context.wall())
    try await directory.removed(id)
    let link = await directory.link(id)
    try await handOut(removed.rotations)
    // A connected device hears of it at once; one that is away when it next calls.
    try await context.changes.first(until: context.now() + 2_000, pace: 100) {
      guard await link?.isDone == false else { return () }
      return try await isGone(id) ? () : nil
    }
    return Self.report(peer, removed, wasTold: try await isGone(id))
  }

  /// Removes a device in any state without telling it, and erases its keys.
  fileprivate func remove(_ device: String) async throws -> UnpairResult {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    let removed = try await store.remove(id, removal: nil, itemID: [], at: context.wall())
    await directory.link(id)?.vanish()
    try await directory.refresh(id)
    try await handOut(removed.rotations)
    return Self.report(peer, removed, wasTold: false)
  }

  /// Signals new keys to the remaining links, and the new discovery key to all links.
  private func handOut(_ rotations: [OutboxChange]) async throws {
    try await context.reloadDiscoveryKeys()
    try await directory.handOut(rotations)
    forget()
    context.changes.notify()
  }

  private func isGone(_ device: DeviceID) async throws -> Bool {
    try await store.peers().contains { $0.device.deviceID == device && $0.state == .removed }
  }

  private static func report(_ peer: PeerRecord, _ removed: RemovalResult, wasTold: Bool) -> UnpairResult {
    var gone = peer.device
    gone.state = .removed
    return UnpairResult(
      device: gone, wasTold: wasTold, cancelledCommands: removed.cancelled.count,
      cancelled: Array(removed.cancelled.prefix(UnpairResult.namedCommands)), droppedItems: removed.droppedItems)
  }
}

package struct UnpairResult: Hashable, Sendable, Codable {
  package var device: RegisteredDevice
  /// A Boolean value that indicates whether the other machine was told in an open session; if not,
  /// it is told in its next session, unless it was forgotten.
  package var wasTold: Bool
  /// The number of commands for the device that had not been executed and are now cancelled.
  package var cancelledCommands: Int
  /// The IDs of the first `UnpairResult.namedCommands` of those commands, oldest first.
  package var cancelled: [CommandID] = []
  /// The number of usage records and receipts that are no longer queued for the device; records
  /// remain in this device's history.
  package var droppedItems: Int = 0

  package static let namedCommands = 100

  package static func question(_ device: RegisteredDevice) -> Phrase {
    let name = ["machine": device.name.quotation]
    return device.role == .parent
      ? Phrase(
        """
        Remove the parent's machine {machine}? It is told when, can set nothing here any more, and only a new pairing \
        brings it back.
        """, name)
      : Phrase(
        "Remove {machine} from the family? The last rules stay in force there, and only a new pairing brings it back.",
        name)
  }

  /// What was removed with the device, in sentences; none if nothing waited for it.
  package var closed: [Phrase] {
    let commands = Phrase(
      one: "{count} command for it will not be executed; see `latchkey commands list`.",
      other: "{count} commands for it will not be executed; see `latchkey commands list`.", count: cancelledCommands)
    let items = Phrase(
      one: "{count} record that waited for it will not be sent.",
      other: "{count} records that waited for it will not be sent.", count: droppedItems)
    return (cancelledCommands > 0 ? [commands] : []) + (droppedItems > 0 ? [items] : [])
  }

  /// What was done, in sentences, for a device that was not forgotten.
  package var phrases: [Phrase] {
    let name = ["machine": device.name.quotation]
    let told: Phrase =
      wasTold
      ? Phrase("{machine} is removed. It has been told.", name)
      : Phrase("{machine} is removed. It is told when it next calls.", name)
    return [told] + closed
  }
}
