import LatchkeyHousehold
import LatchkeyModel
import LatchkeySimulation
import LatchkeyStore
import LatchkeyTestSupport

/// The requests of a link to its store.
extension StorePair {
  /// Returns an outgoing stream, with its position in both stores.
  private func sending(
    _ device: DeviceID
  ) async -> (streamClass: StreamClass, real: OutboxPosition, model: OutboxPosition)? {
    let positions = model.outboxPositions(device)
    guard !positions.isEmpty, let present = try? await real.streams(with: device).outbox else { return nil }
    let streamClass = random.pick(positions.keys.sorted())
    guard let one = present[streamClass], let other = positions[streamClass] else { return nil }
    return (streamClass, one, other)
  }

  func load(_ device: DeviceID) async -> String? {
    guard let stream = await sending(device) else { return nil }
    let from = stream.model.storedThrough + 1 + UInt64(random.below(3))
    let (items, bytes) = (1 + random.below(20), 50 + random.below(3_000))
    return await both("loading \(stream.streamClass.word)") {
      let loaded = try await $0.load(
        device, stream.streamClass, epoch: stream.real.epoch, from: from, items: items, bytes: bytes, at: self.wall)
      return "\(loaded)"
    } _: {
      while true {
        switch $0.load(
          device, stream.streamClass, epoch: stream.model.epoch, from: from, items: items, bytes: bytes)
        {
        case .loaded(let loaded): return "\(loaded)"
        case .hasExpired: $0.expireDue(at: self.wall)
        case .isNotBound: $0.bind(device, stream.streamClass, epoch: stream.model.epoch, from: from, items: items)
        }
      }
    }
  }

  func forget(_ device: DeviceID) async -> String? {
    guard let stream = await sending(device) else { return nil }
    let through =
      stream.model.storedThrough + UInt64(random.below(Int(stream.model.last - stream.model.storedThrough) + 1))
    let isStale = random.once(in: 10)
    func position(_ epoch: UInt64) -> StreamPosition {
      StreamPosition(streamClass: stream.streamClass, epoch: isStale ? 1 : epoch, through: through)
    }
    return await both("forgetting \(stream.streamClass.word)") {
      let stored = try await $0.forget(device, position(stream.real.epoch), at: self.wall)
      return "\(stored.hasNewKeys) \(self.word([stored.change].compactMap { $0 }))"
    } _: {
      let stored = try $0.forget(device, position(stream.model.epoch))
      return "\(stored.hasNewKeys) \(self.word([stored.change].compactMap { $0 }))"
    }
  }

  func restart(_ device: DeviceID) async -> String? {
    let streamClass = random.pick(StreamClass.allCases)
    let stored = model.outboxPositions(device)[streamClass]?.storedThrough ?? 0
    let (isAhead, after) = (random.once(in: 3), random.once(in: 2) ? 0 : stored / 2)
    // The peer's items of an earlier epoch; both stores use the same epochs for a restart.
    let earlier =
      after == 0 && random.once(in: 2)
      ? pastEpochs.last.map { StreamPosition(streamClass: streamClass, epoch: $0, through: UInt64(random.below(6))) }
      : nil
    let cause: RestartCause = isAhead ? .peerIsAhead : .peerLost(after: after, earlier: earlier)
    let epoch = random.next() | 1
    if streamClass == .command { pastEpochs.append(epoch) }
    return await both("restarting \(streamClass.word), \(cause)") {
      "\(try await $0.restart(device, streamClass, epoch: epoch, cause: cause, at: self.wall))"
    } _: {
      "\(try $0.restart(device, streamClass, epoch: epoch, cause: cause))"
    }
  }

  func foreign(_ device: DeviceID) async -> String? {
    guard let stream = await sending(device) else { return nil }
    let item = model.peer(device)?.outgoing[stream.streamClass].flatMap { stream in
      random.once(in: 2) ? (stream.storedItem, stream.storedItemID) : stream.items.last.map { ($0.sequence, $0.itemID) }
    }
    let sequence = max(1, item?.0 ?? 1)
    let id = random.once(in: 3) ? random.bytes(16) : item?.1 ?? []
    let through = sequence + UInt64(random.below(3))
    func hello(_ epoch: UInt64) -> Hello {
      Hello(
        runID: [UInt8](repeating: 1, count: 16), name: "n", role: .child, outgoing: [],
        incoming: [StreamPosition(streamClass: stream.streamClass, epoch: epoch, through: through)],
        held: [HeldItem(streamClass: stream.streamClass, sequence: sequence, itemID: id)],
        keyID: [UInt8](repeating: 9, count: 8))
    }
    return await both("comparing \(stream.streamClass.word)") {
      "\(try await $0.foreign(device, hello(stream.real.epoch)).sorted())"
    } _: {
      "\($0.foreign(device, hello(stream.model.epoch)).sorted())"
    }
  }

  // MARK: Input

  func receive(_ peer: Peer) async -> String? {
    let runs = (0..<(1 + random.below(2))).map { _ in run(from: peer) }
    return await both("receiving \(runs)") {
      let result = try await $0.receive(
        runs, from: peer.device, role: peer.role, enforcement: .recorded, at: self.wall)
      return "\(self.word(result.changes)) \(result.wasRemoved) \(result.hasNewKeys) \(result.hasCompletedPairing) "
        + "\(result.faults.count) \(result.appliedCommands)"
    } _: {
      let before = $0.effects.count
      let result = try $0.receive(runs, from: peer.device, role: peer.role, at: self.wall)
      return "\(self.word(result.changes)) \(result.wasRemoved) \(result.hasNewKeys) \(result.hasCompletedPairing) "
        + "\(result.faults) \($0.effects.count - before)"
    }
  }

  private func run(from peer: Peer) -> ItemRun {
    let streamClass: StreamClass =
      random.once(in: 5) ? .control : peer.role == .parent ? .command : random.pick([.receipt, .usage])
    let present = model.peer(peer.device)?.incoming[streamClass]
    let isAnew = present == nil || random.once(in: 12)
    let epoch = isAnew ? random.next() | 1 : present?.epoch ?? 1
    var next = isAnew ? 1 : (present?.watermark ?? 0) + 1
    // Known items are repeated, or some are left out against the rules.
    if random.once(in: 6) { next = max(1, next - min(next, UInt64(random.below(3)))) }
    if random.once(in: 20) { next += 1 }
    var items: [DeliveryItem] = []
    for _ in 0..<(1 + random.below(4)) {
      if random.once(in: 5) {
        let through = next + UInt64(random.below(3))
        items.append(DeliveryItem(skipping: next...through))
        next = through + 1
      } else if let item = item(next, streamClass, from: peer) {
        items.append(item)
        next += 1
      }
    }
    return ItemRun(streamClass: streamClass, epoch: epoch, items: items)
  }

  private func item(_ sequence: UInt64, _ streamClass: StreamClass, from peer: Peer) -> DeliveryItem? {
    switch streamClass {
    case .control:
      if random.once(in: 4) { return refusal(sequence) }
      if random.once(in: 4) { return registers(sequence, from: peer) }
      if random.once(in: 2) { return inventory(sequence, from: peer) }
      if random.once(in: 6) {
        return DeliveryItem(sequence: sequence, kind: .removal, itemID: random.bytes(16), body: random.bytes(40))
      }
      let held = model.peer(peer.device)
      let replaced = random.pick([held?.keys.present, held?.pendingKey].compactMap { $0 } + [random.bytes(32)])
      let rotation = KeyRotation(
        generation: Int64(random.below(5)), discoveryKey: random.bytes(32), pairwiseKey: random.bytes(32),
        replaces: Array(replaced.prefix(8)))
      return DeliveryItem(
        sequence: sequence, kind: .keyRotation, itemID: random.bytes(16), body: coding.encode(rotation))
    case .command: return command(sequence, from: peer)
    case .receipt: return random.once(in: 8) ? unusable(sequence, streamClass) : receipt(sequence, from: peer)
    case .usage:
      if random.once(in: 8) { return unusable(sequence, streamClass) }
      guard let record = usage(of: random.once(in: 10) ? own : peer.device) else { return nil }
      guard random.once(in: 4) else {
        return DeliveryItem(
          sequence: sequence, kind: .usageRecord, itemID: record.recordID.bytes, body: coding.encode(record))
      }
      let loss = UsageLoss(
        lossID: record.recordID, device: peer.device, records: 3, sessions: 4, activeMilliseconds: 5,
        earnedMilliPoints: 6, firstStart: 7, lastEnd: 8)
      return DeliveryItem(
        sequence: sequence, kind: .usageLoss, itemID: record.recordID.bytes, body: coding.encode(loss))
    }
  }

  /// Returns the peer's report of refused items.
  private func refusal(_ sequence: UInt64) -> DeliveryItem {
    let items = (0..<random.below(4)).map { number in
      RefusedItem(
        streamClass: random.pick([.control, .receipt, .usage]),
        kind: random.pick([.receipt, .usageRecord, .usageLoss]),
        itemID: random.once(in: 2) ? [UInt8](repeating: UInt8(number), count: 16) : random.bytes(16),
        reason: random.pick(RefusalReason.allCases))
    }
    let body =
      random.once(in: 5)
      ? [0xFF] : coding.encode(RefusalNotice(items: items, total: Int64(random.below(50) + items.count)))
    return DeliveryItem(sequence: sequence, kind: .refusal, itemID: random.bytes(16), body: body)
  }

  /// Returns an item that every receiver refuses, sometimes under the ID of a command.
  private func unusable(_ sequence: UInt64, _ streamClass: StreamClass) -> DeliveryItem {
    let id = random.once(in: 2) ? random.pick(model.commands.map(\.id.bytes) + [random.bytes(16)]) : random.bytes(16)
    let kinds: [ItemKind] =
      streamClass == .receipt ? [.receipt, .usageRecord] : [.usageRecord, .usageLoss, ItemKind(rawValue: 4_711)]
    return DeliveryItem(sequence: sequence, kind: random.pick(kinds), itemID: id, body: [0xFF, 0xFF])
  }

  private func command(_ sequence: UInt64, from peer: Peer) -> DeliveryItem? {
    // Sometimes a command that was answered before, under another number.
    let known = model.receipts.keys.sorted()
    let id = !known.isEmpty && random.once(in: 5) ? random.pick(known) : nextCommandID()
    let modified = HybridTimestamp(wall: wall - Int64(random.below(100_000)), counter: 0, author: peer.device)
    let payload: CommandPayload =
      switch random.below(6) {
      case 0, 1: .message("x")
      case 2, 3: CommandPayload(SimulatedLock(level: Int64(random.below(3))))
      default: CommandPayload(Edit((0..<(1 + random.below(3))).map { register($0, modified) }))
      }
    let body = coding.encode(CommandBody(commandID: id, author: peer.device, createdAt: 1, payload: payload))
    return DeliveryItem(sequence: sequence, kind: .command, itemID: id.bytes, body: body)
  }

  /// Returns an edit of one of a few registers; each `number` stands for another key.
  private func register(_ number: Int, _ modified: HybridTimestamp) -> Register {
    let zone: Zone = random.pick([.family, .machine(own)])
    return Register(
      zone, RegisterKey("key/\(number)") ?? "key", random.once(in: 4) ? nil : "\(random.below(3))", modified: modified)
  }

  /// Returns a child's report of its registers, with this machine's own edits or another parent's.
  private func registers(_ sequence: UInt64, from peer: Peer) -> DeliveryItem {
    let ahead = Int64(random.below(4)) * Limits.aheadMilliseconds / 2 - 100_000
    let author = random.pick([own, peers[0].device, peers[1].device])
    let registers = (0..<random.below(4)).map { number in
      var one = register(
        number, HybridTimestamp(wall: max(0, wall + ahead), counter: UInt32(random.below(2)), author: author))
      if case .machine = one.zone { one.zone = .machine(random.once(in: 6) ? own : peer.device) }
      return one
    }
    return DeliveryItem(
      sequence: sequence, kind: .registers, itemID: random.bytes(16),
      body: random.once(in: 10) ? [0xFF] : coding.encode(registers))
  }

  /// Returns a part of a list, some of which no machine may send.
  private func inventory(_ sequence: UInt64, from peer: Peer) -> DeliveryItem {
    let device: DeviceID? = random.pick([nil, nil, nil, peer.device, own, stranger])
    let parts = random.pick([1, 1, 2, 3])
    let app = AppID("a.\(random.below(4))").map { InstalledApp(appID: $0, name: "x").text } ?? ""
    let (kind, entry) = random.pick([
      (Account.inventory.name, Account(uid: 1_000, name: "emma", fullName: "").text),
      (MachineCondition.inventory.name, MachineCondition("note").text), (InstalledApp.inventory.name, app),
      (RunningUse.inventory.name, runningUse().text), (PairedParent.inventory.name, "none"), ("later", "x"),
    ])
    let list = Inventory(
      device: device, kind: kind, number: UInt64(1 + random.below(3)), part: random.below(parts), parts: parts,
      entries: random.once(in: 3) ? [] : [entry])
    return DeliveryItem(
      sequence: sequence, kind: .inventory, itemID: random.bytes(16),
      body: random.once(in: 10) ? [0xFF] : coding.encode(list))
  }

  private func receipt(_ sequence: UInt64, from peer: Peer) -> DeliveryItem? {
    let command = random.pick(model.commands.filter { $0.target == peer.device }.map { Optional($0) } + [nil])
    let id = command?.id ?? nextCommandID()
    let outcome: CommandReceipt.Outcome =
      switch (command?.payload, random.below(10)) {
      case (_, 0): .failed(reason: "no")
      case (_, 1): .expired
      case (_, 2): .superseded(nil)
      case (let payload?, 3): .superseded(Self.state(of: payload))
      case (let payload?, 4), (let payload?, 5): .superseded(otherState(than: payload, from: peer))
      case (let payload?, 6): .executed(otherState(than: payload, from: peer))
      case (_, 7): .underWay(waitsFor: "the agent")
      default: .executed(command.map { Self.state(of: $0.payload) } ?? .messageStored)
      }
    let answered = random.once(in: 20) ? nextCommandID() : id
    let body =
      random.once(in: 20) ? [0xFF] : coding.encode(CommandReceipt(commandID: answered, outcome: outcome, at: 1))
    return DeliveryItem(sequence: sequence, kind: .receipt, itemID: id.bytes, body: body)
  }

  /// Returns the state with which an honest child answers that it has executed a command.
  static func state(of payload: CommandPayload) -> StateInForce {
    if let lock = payload.as(SimulatedLock.self) { return StateInForce(lock.state) }
    if let edit = payload.as(Edit.self) { return StateInForce(RegistersInForce(edit.registers, .recorded)) }
    return .messageStored
  }

  /// Returns a state that a child with another parent, or a dishonest child, might report.
  private func otherState(than payload: CommandPayload, from peer: Peer) -> StateInForce {
    // From a little before this machine's wall clock to days ahead of it.
    let ahead = Int64(random.below(4)) * Limits.aheadMilliseconds / 2 - 100_000
    let modified = HybridTimestamp(
      wall: max(0, wall + ahead), counter: UInt32(random.below(2)), author: random.pick([own, peer.device]))
    switch random.below(5) {
    case 0: return .messageStored
    case 1: return StateInForce(SimulatedLockState(level: Int64(random.below(3))))
    default:
      let asked = payload.as(Edit.self)?.registers ?? [register(0, modified)]
      let held = asked.map { register in
        random.once(in: 3) ? register : Register(register.zone, register.key, "other", modified: modified)
      }
      return StateInForce(RegistersInForce(random.once(in: 4) ? Array(held.dropFirst()) : held, .recorded))
    }
  }
}
