import LatchkeyModel

/// Loads, deletions and restarts of streams.
extension ModelStore {
  package enum LoadResult {
    case loaded([DeliveryItem])
    case hasExpired
    case isNotBound
  }

  /// Returns the items of a load, or the step that must precede it.
  package func load(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int, bytes: Int
  ) -> LoadResult {
    guard let stream = peer(device)?.outgoing[streamClass], stream.epoch == epoch else { return .loaded([]) }
    if streamClass == .command, hasExpired(device) { return .hasExpired }
    var last = stream.last
    if streamClass == .usage {
      last = min(last, from + UInt64(items) - 1)
      if stream.sentBound < last { return .isNotBound }
    }
    guard from <= last else { return .loaded([]) }
    var loaded: [DeliveryItem] = []
    var (next, size, found) = (from, 0, 0)
    for row in stream.items where row.sequence >= from && row.sequence <= last {
      guard loaded.count < items, found < items else { break }
      found += 1
      let item = DeliveryItem(sequence: row.sequence, kind: row.kind, itemID: row.itemID, body: row.body)
      if item.sequence > next {
        let skip = DeliveryItem(skipping: next...(item.sequence - 1))
        guard loaded.isEmpty || size + skip.cost <= bytes else { return .loaded(told(loaded, device)) }
        loaded.append(skip)
        size += skip.cost
      }
      next = item.sequence
      size += item.cost
      guard loaded.count < items, loaded.isEmpty || size <= bytes else { return .loaded(told(loaded, device)) }
      loaded.append(item)
      next += 1
    }
    if found < items, loaded.count < items, next <= last, loaded.isEmpty || size + 16 <= bytes {
      loaded.append(DeliveryItem(skipping: next...last))
    }
    return .loaded(told(loaded, device))
  }

  /// Returns the items without those that a deliberate fault leaves out.
  private func told(_ items: [DeliveryItem], _ device: DeviceID) -> [DeliveryItem] {
    switch sources.fault {
    case .forgetSkips: return items.filter { $0.kind != .skip }
    case .expireWithoutSkip:
      let expired = commands.filter { $0.target == device && $0.status == .expired }.map(\.sequence)
      return items.filter { item in
        item.kind != .skip || !expired.contains { item.sequence <= $0 && $0 <= item.skipThrough }
      }
    default: return items
    }
  }

  /// Notes that usage up to this number, and some more, may be given to a session from now on.
  package mutating func bind(_ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, from: UInt64, items: Int) {
    guard let place = try? place(device), let stream = peers[place].outgoing[streamClass], stream.epoch == epoch
    else { return }
    peers[place].outgoing[streamClass]?.sentBound = max(stream.sentBound, from + UInt64(items) + 1_024)
  }

  /// Deletes what the peer has stored, up to a point.
  ///
  /// - Returns: Whether keys among it are in force now, and the stream that got the next ones.
  @discardableResult
  package mutating func forget(
    _ device: DeviceID, _ stored: StreamPosition
  ) throws(ModelStoreFault) -> (hasNewKeys: Bool, change: ModelChange?) {
    let place = try place(device)
    guard var stream = peers[place].outgoing[stored.streamClass], stream.epoch == stored.epoch,
      stream.storedThrough < stored.through
    else { return (false, nil) }
    let gone = stream.items.prefix { $0.sequence <= stored.through }
    if stored.streamClass == .command {
      let ids = Set(gone.filter { $0.kind == .command }.map(\.itemID))
      for index in commands.indices where commands[index].status == .queued && ids.contains(commands[index].id.bytes) {
        commands[index].status = .stored
      }
    }
    stream.storedThrough = stored.through
    stream.waitingItems -= Int64(gone.count)
    stream.waitingBytes -= gone.reduce(0) { $0 + $1.cost }
    if let last = gone.last { (stream.storedItem, stream.storedItemID) = (last.sequence, last.itemID) }
    stream.items.removeFirst(gone.count)
    peers[place].outgoing[stored.streamClass] = stream
    guard stored.streamClass == .control else { return (false, nil) }
    return try takeStoredRotation(place)
  }

  /// Gives the rest of a stream a new epoch and numbers from 1.
  package mutating func restart(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, cause: RestartCause
  ) throws(ModelStoreFault) -> OutboxPosition {
    let place = try place(device)
    guard peers[place].state != .removed, peers[place].state != .removedUntold || streamClass == .control else {
      throw .noSuchPeer
    }
    let before = peers[place].outgoing[streamClass]
    let rest = (before?.items ?? []).map { (kind: $0.kind, id: $0.itemID, body: $0.body, level: $0.level) }
    let known = Set(rest.map(\.id))
    var wanted = rest
    switch (streamClass, cause) {
    case (.command, .peerLost(_, let earlier?))
    where earlier.epoch != before?.epoch && !peers[place].commandEpochs.contains(earlier.epoch):
      // This machine never assigned that epoch, so it is the machine that was restored.
      wanted = unanswered(device, .peerIsAhead, before?.epoch) + rest
    case (.command, _): wanted = unanswered(device, cause, before?.epoch) + rest
    case (.receipt, .peerLost(let held, _)):
      if sources.fault != .dropReceiptsAtRestart {
        wanted = lostReceipts(device, after: held, before?.epoch).filter { !known.contains($0.id) } + rest
      }
    case (.usage, .peerLost): wanted = everyUsage(place).filter { !known.contains($0.id) } + rest
    case (.control, _):
      wanted = rest.filter { $0.kind != .facts } + factItems(for: device)
      let parents = peers.filter { $0.state == .active && $0.role == .parent }
      guard parents.contains(where: { $0.device == device }) else { break }
      wanted = wanted.filter { $0.kind != .registers && $0.kind != .inventory } + householdItems()
    case (.receipt, .peerIsAhead), (.usage, .peerIsAhead): break
    }
    let epoch = sources.fault == .reuseEpoch ? before?.epoch ?? epoch : epoch
    if streamClass == .command {
      for epoch in [before?.epoch, epoch].compactMap({ $0 }) where !peers[place].commandEpochs.contains(epoch) {
        peers[place].commandEpochs.append(epoch)
      }
    }
    var fresh = ModelPeer.Outgoing(epoch: epoch)
    fresh.wasRestarted = true
    peers[place].outgoing[streamClass] = fresh
    var given: UInt64 = 0
    for item in wanted {
      given = try enqueue(
        place, streamClass, kind: item.kind, itemID: item.id, body: item.body, level: item.level,
        caps: QueueCaps(items: .max, bytes: .max)
      ).last
      guard let id = CommandID(bytes: item.id) else { continue }
      if streamClass == .command, let index = commands.firstIndex(where: { $0.id == id }) {
        (commands[index].sequence, commands[index].epoch) = (given, epoch)
      }
      if streamClass == .receipt {
        receipts[id]?.epoch = epoch
        receipts[id]?.sequence = given
      }
    }
    peers[place].outgoing[streamClass]?.sentBound = given
    peers[place].outgoing[streamClass]?.restartBound = given
    return OutboxPosition(epoch: epoch, storedThrough: 0, last: given)
  }

  /// Marks the commands to be sent again as queued, and returns them in the order of their IDs.
  private mutating func unanswered(
    _ device: DeviceID, _ cause: RestartCause, _ epoch: UInt64?
  ) -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    var (again, lost): ([Int], [Int]) = ([], [])
    for (index, command) in commands.enumerated() where command.target == device {
      switch command.status {
      case .stored: if sources.fault != .dropUnansweredAtRestart { again.append(index) }
      case .executed:
        guard case .peerLost(let held, let earlier) = cause, isLost(command, after: held, earlier: earlier, epoch)
        else { continue }
        if command.expiresAt.map({ $0 > age }) ?? true { again.append(index) } else { lost.append(index) }
      default: break
      }
    }
    for index in again {
      if commands[index].status == .stored { commands[index].expiresAt = nil }
      (commands[index].status, commands[index].hasState) = (.queued, false)
    }
    for index in lost { (commands[index].status, commands[index].hasState) = (.failed, false) }
    return again.map { commands[$0] }.sorted { $0.id < $1.id }.map { (.command, $0.id.bytes, $0.body, 0) }
  }

  /// Returns whether a restored child has lost a command.
  private func isLost(_ command: ModelCommand, after held: UInt64, earlier: StreamPosition?, _ epoch: UInt64?) -> Bool {
    if let earlier {
      let order = peer(command.target)?.commandEpochs ?? []
      guard let place = order.lastIndex(of: earlier.epoch) else { return true }
      if command.epoch == earlier.epoch { return command.sequence > earlier.through }
      return order.lastIndex { $0 == command.epoch }.map { $0 > place } ?? false
    }
    guard held > 0, let epoch else { return true }
    return command.epoch == epoch && command.sequence > held
  }

  /// Returns the receipts that the peer has lost, in the order in which they were queued.
  private func lostReceipts(
    _ device: DeviceID, after held: UInt64, _ epoch: UInt64?
  ) -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    receipts.filter { _, receipt in
      guard receipt.peer == device else { return false }
      return held == 0 || receipt.epoch == epoch && receipt.sequence > held
    }.sorted { left, right in
      let isPresent = (left: left.value.epoch == epoch, right: right.value.epoch == epoch)
      if isPresent.left != isPresent.right { return isPresent.right }
      if left.value.sequence != right.value.sequence { return left.value.sequence < right.value.sequence }
      return left.key < right.key
    }.map { (.receipt, $0.key.bytes, $0.value.body, 0) }
  }
}
