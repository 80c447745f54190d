import LatchkeyHousehold
import LatchkeyModel
import LatchkeySimulation
import LatchkeyStore
import LatchkeyTestSupport
import Synchronization

/// The random requests of people, clocks and links to a store.
extension StorePair {
  private static let apps = ["org.gnome.Chess", "org.kde.krita", "net.minetest"].compactMap { AppID($0) }

  /// Pairs all devices, as most sequences require.
  func begin() async -> String? {
    if role == .parent {
      let key = random.bytes(32)
      let difference = await both("founding") {
        try await $0.keepFirst(discoveryKey: key)
        return ""
      } _: {
        $0.keepFirstDiscoveryKey(key)
        return ""
      }
      if let difference { return difference }
    }
    for peer in peers.dropLast(random.below(2)) {
      if let difference = await pair(peer) { return difference }
      if let difference = await promote(peer.device) { return difference }
    }
    return nil
  }

  /// Performs one operation on both stores.
  ///
  /// Returns a description of the operation, and the difference of the answers.
  func step() async throws -> (what: String, difference: String?) {
    let peer = random.pick(peers)
    let device = peer.device
    wall += Int64(random.below(10_000))
    switch random.below(37) {
    case 0: return ("pair", await pair(peer))
    case 1: return ("promote", await promote(device))
    case 2: return ("discard", await discard(device))
    case 3..<5 where role == .parent: return ("edit", await edit())
    case 3..<9: return ("issue", await issue(device))
    case 9: return ("cancel", await cancel())
    case 10: return random.once(in: 2) ? ("expire", await expire()) : ("finish", await finish())
    case 11:
      clock.advance(Int64(random.below(600_000)))
      return ("time passes", nil)
    case 12:
      let isReboot = random.once(in: 3)
      try reopen(isReboot: isReboot)
      return (isReboot ? "reboot" : "reopen", nil)
    case 13..<18: return ("use", await use())
    case 18..<22: return ("load", await load(device))
    case 22..<25: return ("forget", await forget(device))
    case 25: return ("restart", await restart(device))
    case 26..<31: return ("receive", await receive(peer))
    case 31: return ("remove", await remove(device))
    case 32: return ("keys", await keys(device))
    case 33..<36 where role == .child: return ("list", await list())
    default: return ("foreign", await foreign(device))
    }
  }

  // MARK: Pairing

  private func pair(_ peer: Peer) async -> String? {
    let key = random.bytes(32)
    let device = RegisteredDevice(
      deviceID: peer.device, name: DeviceName(sanitising: "x"), role: peer.role,
      identityKey: Hexadecimal.encode(peer.device.bytes + [UInt8](repeating: 0, count: 12)),
      linkKey: Hexadecimal.encode([UInt8](repeating: 1, count: 12) + peer.device.bytes), pairedAt: 1)
    return await both("pairing") {
      try await $0.savePending(
        device, pairwiseKey: key, invitation: nil, bootID: "boot", now: BootInstant(milliseconds: 1))
      return ""
    } _: {
      $0.savePending(peer.device, peer.role, key: key)
      return ""
    }
  }

  private func promote(_ device: DeviceID) async -> String? {
    await both("promoting") {
      "\(try await $0.promote(device, at: self.wall))"
    } _: {
      "\(try $0.promote(device, at: self.wall))"
    }
  }

  private func discard(_ device: DeviceID) async -> String? {
    await both("discarding") {
      try await $0.discardPending(device)
      return ""
    } _: {
      $0.discardPending(device)
      return ""
    }
  }

  private func remove(_ device: DeviceID) async -> String? {
    switch random.below(6) {
    case 0, 1:
      let (removal, id) = (random.once(in: 3) ? nil : random.bytes(40), random.bytes(16))
      return await both("removing") {
        let removed = try await $0.remove(device, removal: removal, itemID: id, at: self.wall)
        return self.word([removed.change].compactMap { $0 } + removed.rotations)
      } _: {
        let removed = try $0.remove(device, removal: removal, itemID: id, at: self.wall)
        return self.word([removed.change].compactMap { $0 } + removed.rotations)
      }
    case 2:
      return await both("telling of a removal") {
        try await $0.removalTold(device)
        return ""
      } _: {
        $0.removalTold(device)
        return ""
      }
    case 3:
      return await both("sending a removal") {
        "\(try await $0.removalSent(device))"
      } _: {
        "\($0.removalSent(device))"
      }
    case 4:
      return await both("silence") {
        "\(try await $0.removalMetSilence(device))"
      } _: {
        "\($0.removalMetSilence(device))"
      }
    default:
      let isIn = random.once(in: 2)
      return await both("quarantine") {
        if isIn {
          try await $0.quarantine(device, at: self.wall)
        } else {
          _ = try await $0.release(device, at: self.wall)
        }
        return ""
      } _: {
        if isIn { $0.quarantine(device) } else { $0.release(device) }
        return ""
      }
    }
  }

  private func keys(_ device: DeviceID) async -> String? {
    let held = model.peer(device)?.keys
    let key = random.pick([held?.present, held?.next, held?.previous].compactMap { $0 } + [random.bytes(32)])
    return await both("a named key") {
      "\(try await $0.peer(device, answersWith: Array(key.prefix(8))))"
    } _: {
      "\($0.peer(device, answersWith: Array(key.prefix(8))))"
    }
  }

  // MARK: Commands and usage

  private func issue(_ device: DeviceID) async -> String? {
    let (id, level) = (nextCommandID(), Int64(random.below(1_000)))
    let payload: CommandPayload =
      random.once(in: 3) ? CommandPayload(SimulatedLock(level: level)) : .message("message \(level)")
    let lifetime: Int64? = random.pick([nil, 0, Int64(random.below(1_000_000))])
    return await both("issuing") {
      let issued = try await $0.issue(id, to: device, expiresAfter: lifetime, at: self.wall) { _, _ in payload }
      return self.word([issued.change])
    } _: {
      self.word([try $0.issue(id, payload, to: device, expiresAfter: lifetime, at: self.wall)])
    }
  }

  /// Edits a few registers, some of which assign a machine.
  private func edit() async -> String? {
    let ids = (0..<3).map { _ in nextCommandID() }
    let children = [UInt8(1), 2].compactMap { ChildID(bytes: [UInt8](repeating: $0, count: 16)) }
    var changes: [ModelEdit] = []
    for number in 0...random.below(2) {
      let (machine, child) = (random.pick(peers).device, random.pick(children))
      if random.once(in: 3) {
        changes.append(
          ModelEdit(.machine(machine), HouseholdKey.child(child), random.once(in: 3) ? nil : HouseholdKey.yes))
      } else {
        let zone: Zone = random.pick([.family, .machine(machine), .child(child)])
        changes.append(ModelEdit(zone, RegisterKey("key/\(number)") ?? "key", random.pick(["a", "b", nil])))
      }
    }
    if changes.count == 2, changes[0].zone == changes[1].zone, changes[0].key == changes[1].key { changes.removeLast() }
    let edits = changes
    return await both("editing") {
      let given = Mutex(0)
      let maker = EditMaker(
        nextID: {
          given.withLock { number in
            number += 1
            return ids[number - 1]
          }
        }, payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
      let changes = edits.map { RegisterChange($0.zone, $0.key, $0.value) }
      return self.word(try await $0.edit(changes, maker, at: self.wall).changes)
    } _: {
      var rest = ids
      return self.word(try $0.edit(edits, nextID: { rest.removeFirst() }, at: self.wall))
    }
  }

  private func cancel() async -> String? {
    let id = random.pick(model.commands.map(\.id) + [nextCommandID()])
    return await both("cancelling") {
      let isCancelled = try await $0.cancel(id, at: self.wall)?.wasCancelled ?? false
      return "\(isCancelled)"
    } _: {
      "\($0.cancel(id))"
    }
  }

  private func expire() async -> String? {
    await both("expiring") {
      "\(try await $0.expireDue(at: self.wall))"
    } _: {
      "\($0.expireDue(at: self.wall))"
    }
  }

  /// Records an outcome of a pending effect, or lets its time end.
  private func finish() async -> String? {
    let pending = model.pending
    if random.once(in: 4) {
      return await both("effects that are late") {
        self.word(try await $0.expireEffects(at: self.wall))
      } _: {
        self.word(try $0.expireEffects(at: self.wall))
      }
    }
    let id = random.pick(pending.map(\.id) + [nextCommandID()])
    let state = pending.first { $0.id == id }.map { Self.state(of: $0.payload) } ?? .messageStored
    let outcome: EffectOutcome = random.once(in: 3) ? .failed(reason: "no") : .done(state)
    return await both("an outcome") {
      self.word([try await $0.finishEffect(id, outcome, at: self.wall)].compactMap { $0 })
    } _: {
      self.word([try $0.finishEffect(id, outcome, at: self.wall)].compactMap { $0 })
    }
  }

  /// Gives a list of this machine, which may need several items.
  private func list() async -> String? {
    switch random.below(4) {
    case 0:
      let (count, version) = (random.pick([0, 1, 2, 100]), "\(random.below(2))")
      let padding = String(repeating: "n", count: 247)
      return await set(
        (0..<count).compactMap { AppID("a.\($0).\(padding)") }
          .map { InstalledApp(appID: $0, name: padding, version: version) })
    case 1: return await set(random.once(in: 2) ? [] : [runningUse()])
    default:
      return await set((0..<random.below(3)).map { _ in MachineCondition("note", detail: "\(random.below(3))") })
    }
  }

  private func set(_ entries: [some InventoryEntry]) async -> String? {
    await both("a list") {
      self.word(try await $0.setInventory(EntryList(entries), at: self.wall).changes)
    } _: {
      self.word(try $0.setInventory(EntryList(entries)))
    }
  }

  /// Returns a session with one of a few IDs.
  func runningUse() -> RunningUse {
    guard let id = RecordID(bytes: [UInt8](repeating: UInt8(random.below(3)), count: 16)) else {
      preconditionFailure("an ID of 16 bytes")
    }
    return RunningUse(
      recordID: id, account: 1_000, child: nil, appID: Self.apps[random.below(2)], displayName: "x",
      category: .reward, milliPointsPerMinute: 0, since: 5, activeMilliseconds: Int64(random.below(9)))
  }

  private func use() async -> String? {
    guard let record = usage(of: own) else { return nil }
    return await both("usage") {
      self.word(try await $0.record([record], at: self.wall))
    } _: {
      self.word(try $0.report(record))
    }
  }

  /// Returns a session of a device in one of a few hours, which may be merged into totals.
  func usage(of device: DeviceID) -> UsageRecord? {
    guard let id = RecordID(bytes: random.bytes(16)) else { return nil }
    let start = 1_800_000_000_000 + Int64(random.below(30)) * 3_600_000 / 3
    let milliseconds = Int64(1 + random.below(600_000))
    return UsageRecord(
      recordID: id, device: device, appID: Self.apps[random.below(2)], displayName: "x", sessionStart: start,
      sessionEnd: start + milliseconds, zone: "UTC", activeMilliseconds: milliseconds, category: .learning,
      milliPointsPerMinute: 1_000, earnedMilliPoints: milliseconds / 60, evidence: .observed)
  }
}
