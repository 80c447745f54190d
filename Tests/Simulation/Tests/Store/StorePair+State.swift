import LatchkeyModel
import LatchkeySimulation
import LatchkeyStore
import LatchkeyTestSupport

/// The comparison of both stores' content, line by line.
extension StorePair {
  /// Returns the first difference; `nil` if there is none.
  func difference() async throws -> String? {
    let records = try await real.peers()
    let (one, other) = (records.map(line), model.peers.map(line))
    if one != other { return "peers: \(one), in the model \(other)" }
    for peer in model.peers {
      if let difference = try await streams(peer) { return difference }
      if let difference = try await queues(peer) { return difference }
    }
    let told = try await real.overview().refusedInAll.map { "\($0.key) \($0.value)" }.sorted()
    let modelTold = model.peers.filter { $0.state == .active && $0.refusedThere > 0 }
      .map { "\($0.device) \($0.refusedThere)" }.sorted()
    if told != modelTold { return "refused: \(told), in the model \(modelTold)" }
    let refused = try await real.refusals().map { "\($0.device) \($0.kind.rawValue) \($0.reason) \($0.items)" }.sorted()
    let modelRefused = model.peers.filter { $0.state == .active }.flatMap { peer in
      Dictionary(grouping: peer.refusedItems) { "\($0.kind.rawValue) \($0.reason)" }
        .map { "\(peer.device) \($0.key) \($0.value.count)" }
    }.sorted()
    if refused != modelRefused { return "refused: \(refused), in the model \(modelRefused)" }
    return try await lists()
  }

  private func line(_ record: PeerRecord) -> String {
    line(
      record.device.deviceID, record.state.rawValue, record.keys, record.pendingKey, record.quarantinedAt != nil,
      [record.removalSessions, record.removalSilences], record.knownGeneration, record.isRotating)
  }

  private func line(_ peer: ModelPeer) -> String {
    line(
      peer.device, peer.state.rawValue, peer.keys, peer.pendingKey, peer.isQuarantined,
      [peer.removalSessions, peer.removalSilences], peer.knownGeneration, peer.sentGeneration != nil)
  }

  private func line(
    _ device: DeviceID, _ state: Int64, _ keys: PairwiseKeys, _ pending: [UInt8]?, _ isQuarantined: Bool,
    _ removal: [Int], _ generation: Int64, _ isRotating: Bool
  ) -> String {
    let held = ([keys.present] + [keys.next, keys.previous, pending].map { $0 ?? [] }).map { "\($0.prefix(3))" }
    return "\(device) \(state) \(held) \(isQuarantined) \(removal) \(generation) \(isRotating)"
  }

  private func streams(_ peer: ModelPeer) async throws -> String? {
    let sending = model.outboxPositions(peer.device)
    let streams = try await real.streams(with: peer.device)
    let positions = streams.outbox.map { streamClass, position in
      let epoch = epoch(position.epoch, sending[streamClass]?.epoch)
      return "\(streamClass.word) \(epoch): \(position.storedThrough) of \(position.last)"
    }.sorted()
    let modelled = sending.map { "\($0.word) \($1.epoch): \($1.storedThrough) of \($1.last)" }.sorted()
    if positions != modelled { return "outbox: \(positions), in the model \(modelled)" }
    let held = streams.held
    if streams.inbox != model.inboxPositions(peer.device) {
      return "inbox: \(streams.inbox), in the model \(model.inboxPositions(peer.device))"
    }
    if held != model.heldItems(peer.device) { return "held: \(held), in the model \(model.heldItems(peer.device))" }
    return nil
  }

  private func queues(_ peer: ModelPeer) async throws -> String? {
    let statuses = try await real.queues(peer.device, at: wall).flatMap { queue -> [String] in
      let word = queue.streamClass.word
      let waiting = queue.waitingItems > 0 ? ["\(word): \(queue.waitingItems) items, \(queue.waitingBytes) bytes"] : []
      return waiting + queue.undelivered.map { "\(word): \($0.items) \($0.fate.rawValue)" }
    }.sorted()
    let waiting = peer.sending.filter { $0.stream.waitingItems > 0 }
      .map { "\($0.streamClass.word): \($0.stream.waitingItems) items, \($0.stream.waitingBytes) bytes" }
    let tallies = peer.tallies.flatMap { streamClass, fates in
      fates.filter { $0.value > 0 }.map { "\(streamClass.word): \($0.value) \($0.key.rawValue)" }
    }
    let modelled = (waiting + tallies).sorted()
    if statuses != modelled { return "queues: \(statuses), in the model \(modelled)" }
    let rows = try await real.queue(peer.device, nil, limit: 100_000, at: wall).map {
      "\($0.streamClass.word) \($0.number) \($0.bytes)"
    }
    let items = peer.sending.flatMap { streamClass, stream in
      stream.items.map { "\(streamClass.word) \($0.sequence) \($0.itemID.count + $0.body.count + 16)" }
    }
    return rows == items ? nil : "items: \(rows), in the model \(items)"
  }

  private func lists() async throws -> String? {
    let commands = try await real.commands(device: nil, limit: 100_000).map {
      "\($0.commandID) \($0.status.rawValue) \($0.stateInForce != nil) \($0.waitsFor ?? "")"
    }.sorted()
    let modelled = model.commands.map {
      "\($0.id) \($0.status.rawValue) \($0.hasState) \($0.status == .stored ? $0.waitsFor ?? "" : "")"
    }.sorted()
    if commands != modelled { return "commands: \(commands), in the model \(modelled)" }
    guard let known = try await real.household()?.registers else { return "registers: none" }
    let registers = known.own.registers
    let modelRegisters = RegisterMap(model.holdings.registers.values).registers
    if registers != modelRegisters { return "registers: \(registers), in the model \(modelRegisters)" }
    for peer in model.peers where peer.state == .active {
      let modelTold = RegisterMap((model.holdings.notes[peer.device] ?? [:]).values)
      if known.told[peer.device]?.registers ?? [] != modelTold.registers {
        return
          "told by \(peer.device): \(known.told[peer.device]?.registers ?? []), in the model \(modelTold.registers)"
      }
    }
    for (type, device) in InventoryKind.all.flatMap({ type in devices.map { (type, $0) } }) {
      let (known, modelled) = (
        try await list(type, of: device), model.inventories[.init(type.inventory.name, of: device)]
      )
      let modelLine = modelled.map { "\($0.number) \($0.parts[0].more) \($0.entries)" } ?? "none"
      if known != modelLine { return "\(type.inventory.name) of \(device): \(known), in the model \(modelLine)" }
    }
    let pending = try await real.pendingEffects().map { "\($0.commandID) \($0.author) \($0.wait.within)" }
    let modelPending = model.pending.sorted { $0.id < $1.id }
      .map { "\($0.id) \($0.author) \(max(0, $0.dueAt - model.age))" }
    if pending != modelPending { return "pending: \(pending), in the model \(modelPending)" }
    let messages = try await Set(real.messages(limit: 100_000).map(\.commandID))
    if messages != model.messages { return "messages: \(messages), in the model \(model.messages)" }
    let usage = try await real.usage(device: nil, app: nil, from: 0, to: .max, limit: 100_000, before: nil)
    if Set(usage.map(\.record)) != Set(model.usage.values) {
      return "usage: \(usage.count) records, in the model \(model.usage.count), or others"
    }
    let losses = try await real.overview().losses.map {
      "\($0.device) \($0.records) \($0.sessions) \($0.activeMilliseconds)"
    }
    if losses.sorted() != modelLosses() { return "losses: \(losses), in the model \(modelLosses())" }
    let keys = try await real.discoveryKeys()
    let modelKeys = model.discoveryKeys.sorted { $0.key > $1.key }.map(\.value)
    if keys != modelKeys { return "\(keys.count) discovery keys, in the model \(modelKeys.count), or others" }
    let expiry = try await real.untilNextExpiry()
    if expiry != model.untilNextExpiry() {
      return "expiry in \(String(describing: expiry)), in the model \(String(describing: model.untilNextExpiry()))"
    }
    return nil
  }

  private var devices: [DeviceID] { [own, stranger] + peers.map(\.device) }

  private func list<Entry: InventoryEntry>(_ type: Entry.Type, of device: DeviceID) async throws -> String {
    try await real.inventory(type, of: device).map { "\($0.number) \($0.more) \($0.entries.map(\.text))" } ?? "none"
  }

  /// Returns a sum for each other device, like the store.
  private func modelLosses() -> [String] {
    Dictionary(grouping: model.losses.values.filter { $0.device != own }, by: \.device).map { device, losses in
      let sum = losses.reduce((0, 0, 0)) { ($0.0 + $1.records, $0.1 + $1.sessions, $0.2 + $1.activeMilliseconds) }
      return "\(device) \(sum.0) \(sum.1) \(sum.2)"
    }.sorted()
  }
}
