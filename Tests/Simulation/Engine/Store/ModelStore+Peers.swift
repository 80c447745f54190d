import LatchkeyModel

/// Pairing, removal, quarantine and rotation of keys.
///
/// Spec: Protocol/04-session.md §9, Protocol/06-messages.md §7, §8.
extension ModelStore {
  /// Creates a household with a discovery key.
  package mutating func keepFirstDiscoveryKey(_ key: [UInt8]) {
    if discoveryKeys.isEmpty { discoveryKeys[0] = key }
  }

  /// Stores a device as pending, which changes nothing in force until `promote`.
  package mutating func savePending(_ device: DeviceID, _ role: DeviceRole, key: [UInt8]) {
    if peer(device) == nil { peers.append(ModelPeer(device: device, role: role)) }
    guard let place = try? place(device) else { return }
    peers[place].role = role
    peers[place].pendingKey = key
  }

  /// Makes a pending device active; returns `false` if none is pending.
  package mutating func promote(_ device: DeviceID, at wall: Int64 = 1) throws(ModelStoreFault) -> Bool {
    guard let place = try? place(device), let key = peers[place].pendingKey else { return false }
    let isNew = peers[place].state == .pending
    if peers[place].state == .removed || peers[place].state == .removedUntold { closeStreams(place) }
    voidRotation(place)
    peers[place].state = .active
    peers[place].keys = PairwiseKeys(present: key)
    peers[place].pendingKey = nil
    peers[place].isQuarantined = false
    (peers[place].removalSessions, peers[place].removalSilences) = (0, 0)
    peers[place].sentGeneration = nil
    peers[place].knownGeneration = discoveryKeys.keys.max() ?? 0
    peers[place].pairing += 1
    peers[place].pairedAt = wall
    peers[place].left = nil
    holdings.holders[device] = nil
    if peers[place].role == .child {
      _ = try queueRotation(place)
      pruneDiscoveryKeys()
    } else {
      let others = peers.indices.filter { $0 != place && peers[$0].state == .active && peers[$0].role == .parent }
      if others.isEmpty {
        inventories[.init(PairedParent.inventory.name, of: own)] = nil
      } else {
        try setParents(for: others)
      }
      for item in householdItems() {
        try enqueue(place, .control, kind: item.kind, itemID: item.id, body: item.body, caps: QueueCaps())
      }
      if isNew { try queueUsage(place) }
    }
    return true
  }

  /// Rolls back a half-made pairing.
  package mutating func discardPending(_ device: DeviceID) {
    peers.removeAll { $0.device == device && $0.state == .pending && $0.pendingKey != nil }
    if let place = try? place(device) { peers[place].pendingKey = nil }
  }

  package mutating func quarantine(_ device: DeviceID) {
    if let place = try? place(device), peers[place].state == .active { peers[place].isQuarantined = true }
  }

  package mutating func release(_ device: DeviceID) {
    if let place = try? place(device) { peers[place].isQuarantined = false }
  }

  // MARK: Removal

  /// Removes a device: cancels its commands, closes its streams, and queues a removal.
  ///
  /// Without a removal, the device is deleted.
  package mutating func remove(
    _ device: DeviceID, removal: [UInt8]?, itemID: [UInt8], at wall: Int64 = 1
  ) throws(ModelStoreFault) -> (change: ModelChange?, rotations: [ModelChange]) {
    let place = try place(device)
    let before = peers[place]
    if removal != nil, before.pendingKey == nil {
      if before.state == .removedUntold { return (nil, []) }
      if before.state == .removed { throw .noSuchPeer }
    }
    giveUp(place)
    closeStreams(place)
    var change: ModelChange?
    if let removal {
      change = try enqueue(place, .control, kind: .removal, itemID: itemID, body: removal, caps: caps)
      peers[place].state = .removedUntold
      peers[place].pendingKey = nil
      peers[place].isQuarantined = false
      (peers[place].removalSessions, peers[place].removalSilences) = (0, 0)
    } else {
      eraseKeys(device)
    }
    let isRotating = before.state == .active && before.role == .child
    let isParent = before.state == .active && before.role == .parent
    if isParent { noteLeft(place, at: wall) }
    return (change, isRotating ? try rotateDiscoveryKey() : isParent ? try setParents() : [])
  }

  /// Deletes a removed device that has learned of its removal, or never will.
  package mutating func removalTold(_ device: DeviceID) {
    guard let place = try? place(device), peers[place].state == .removedUntold, peers[place].pendingKey == nil
    else { return }
    closeStreams(place)
    eraseKeys(device)
    pruneDiscoveryKeys()
  }

  package mutating func removalSent(_ device: DeviceID) -> Int {
    guard let place = try? place(device), peers[place].state == .removedUntold else { return 0 }
    peers[place].removalSessions += 1
    peers[place].removalSilences = 0
    return peers[place].removalSessions
  }

  package mutating func removalMetSilence(_ device: DeviceID) -> Int {
    guard let place = try? place(device), peers[place].state == .removedUntold else { return 0 }
    peers[place].removalSilences += 1
    return peers[place].removalSilences
  }

  mutating func takeRemoval(
    _ place: Int, _ role: DeviceRole, keepsPending: Bool, at wall: Int64, _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    giveUp(place)
    if peers[place].role == .parent { noteLeft(place, at: wall) }
    if sources.fault != .leaveStreamsAtRemoval { closeStreams(place) }
    eraseKeys(peers[place].device, keepsPending: keepsPending)
    result.changes += role == .child ? try rotateDiscoveryKey() : try setParents()
  }

  private mutating func noteLeft(_ place: Int, at wall: Int64) {
    if peers[place].left == nil { peers[place].left = (wall, age) }
  }

  private mutating func giveUp(_ place: Int) {
    (peers[place].refusedHere, peers[place].refusedThere, peers[place].refusedItems) = (0, 0, [])
    let device = peers[place].device
    holdings.forgetNotes(of: device)
    inventories = inventories.filter { $0.key.device != device }
    var cancelled: Int64 = 0
    for index in commands.indices
    where commands[index].target == device && !commands[index].status.isFinal {
      commands[index].status = .cancelled
      cancelled += 1
    }
    if cancelled > 0 { tally(place, .command, .cancelled, cancelled) }
    for (streamClass, kind) in [(StreamClass.receipt, ItemKind.receipt), (.usage, .usageRecord)] {
      let count = peers[place].outgoing[streamClass]?.items.count { $0.kind == kind } ?? 0
      if count > 0 { tally(place, streamClass, .dropped, Int64(count)) }
    }
  }

  private mutating func closeStreams(_ place: Int) {
    peers[place].outgoing = [:]
    peers[place].incoming = [:]
    for effect in pending where effect.author == peers[place].device { receipts[effect.id] = nil }
    pending.removeAll { $0.author == peers[place].device }
  }

  private mutating func eraseKeys(_ device: DeviceID, keepsPending: Bool = false) {
    if !keepsPending { peers.removeAll { $0.device == device && $0.state == .pending } }
    guard let place = try? place(device) else { return }
    if peers[place].state != .pending { peers[place].state = .removed }
    peers[place].keys = PairwiseKeys(present: [UInt8](repeating: 0, count: 32))
    if !keepsPending { peers[place].pendingKey = nil }
    peers[place].isQuarantined = false
    peers[place].sentGeneration = nil
  }

  // MARK: Keys

  private mutating func rotateDiscoveryKey() throws(ModelStoreFault) -> [ModelChange] {
    guard let newest = discoveryKeys.keys.max() else { return [] }
    discoveryKeys[newest + 1] = sources.keys.freshKey()
    var changes: [ModelChange] = []
    for place in peers.indices where peers[place].state == .active && peers[place].role == .child {
      if let change = try queueRotation(place) { changes.append(change) }
    }
    pruneDiscoveryKeys()
    return changes
  }

  /// Returns the control streams to this machine's parents, for their links.
  package func controlToParents() -> [ModelChange] {
    peers.filter { $0.state == .active && $0.role == .parent }.compactMap { parent in
      parent.outgoing[.control].map {
        ModelChange(device: parent.device, streamClass: .control, epoch: $0.epoch, last: $0.last)
      }
    }
  }

  /// Keeps the list of this machine's parents, all of which have the same name here, and of those
  /// that left within a week.
  ///
  /// Spec: Protocol/06-messages.md §10.
  @discardableResult
  mutating func setParents(for receivers: [Int]? = nil) throws(ModelStoreFault) -> [ModelChange] {
    func isTold(_ peer: ModelPeer) -> Bool {
      switch peer.state {
      case .active: true
      case .removed, .removedUntold: peer.left.map { $0.age > age - 7 * 86_400_000 } ?? false
      case .pending: false
      }
    }
    // The paired parents go first, the latest pairing first. Of two at the same time, the one that
    // was known later goes first.
    let parents = peers.enumerated().filter { $1.role == .parent && isTold($1) }
      .sorted { left, right in
        let isActive = (left: left.element.state == .active, right: right.element.state == .active)
        if isActive.left != isActive.right { return isActive.left }
        return (left.element.pairedAt, left.offset) > (right.element.pairedAt, right.offset)
      }
    let list = EntryList(
      parents.map {
        PairedParent(
          deviceID: $1.device, name: DeviceName(sanitising: "x"), pairedAt: $1.pairedAt, leftAt: $1.left?.at)
      })
    return try setInventory(list, for: receivers)
  }

  private mutating func queueRotation(_ place: Int) throws(ModelStoreFault) -> ModelChange? {
    guard let newest = discoveryKeys.keys.max(), let discoveryKey = discoveryKeys[newest],
      peers[place].state == .active, peers[place].sentGeneration == nil, peers[place].knownGeneration < newest
    else { return nil }
    let rotation = KeyRotation(
      generation: newest, discoveryKey: discoveryKey, pairwiseKey: sources.keys.freshKey(),
      replaces: sources.keys.keyID(of: peers[place].keys.present))
    peers[place].keys.offered(rotation.pairwiseKey)
    peers[place].sentGeneration = newest
    return try enqueue(
      place, .control, kind: .keyRotation, itemID: Array(sources.keys.freshKey().prefix(16)),
      body: coding.encode(rotation), caps: QueueCaps())
  }

  mutating func takeStoredRotation(
    _ place: Int
  ) throws(ModelStoreFault) -> (hasNewKeys: Bool, change: ModelChange?) {
    guard peers[place].state == .active, let sent = peers[place].sentGeneration,
      !(peers[place].outgoing[.control]?.items.contains { $0.kind == .keyRotation } ?? false)
    else { return (false, nil) }
    peers[place].keys.stored()
    peers[place].knownGeneration = sent
    peers[place].sentGeneration = nil
    let next = try queueRotation(place)
    pruneDiscoveryKeys()
    return (true, next)
  }

  mutating func takeRotation(
    _ item: DeliveryItem, _ place: Int, _ role: DeviceRole, _ wall: Int64, _ result: inout ModelInboxResult
  ) {
    guard role == .parent else { return passOver(item, .control, .role, &result) }
    guard let rotation = try? coding.rotation(item.body) else {
      return passOver(item, .control, .unreadable, &result)
    }
    if let pending = peers[place].pendingKey, sources.keys.keyID(of: pending) == rotation.replaces {
      result.hasCompletedPairing = (try? promote(peers[place].device, at: wall)) ?? false
    }
    guard peers[place].state == .active else { return }
    peers[place].keys.received(rotation.pairwiseKey, replacing: rotation.replaces) { sources.keys.keyID(of: $0) }
    if sources.fault == .eraseKeyTooEarly { peers[place].keys = PairwiseKeys(present: peers[place].keys.present) }
    peers[place].knownGeneration = max(peers[place].knownGeneration, rotation.generation)
    result.hasNewKeys = true
  }

  /// Handles the ID of the key that the peer answers with.
  ///
  /// Returns whether a key was erased.
  package mutating func peer(_ device: DeviceID, answersWith keyID: [UInt8]) -> Bool {
    guard let place = try? place(device) else { return false }
    let before = peers[place].keys
    peers[place].keys.answers(with: keyID) { sources.keys.keyID(of: $0) }
    return peers[place].keys != before
  }

  private mutating func voidRotation(_ place: Int) {
    for item in peers[place].outgoing[.control]?.items ?? [] where item.kind == .keyRotation {
      withdraw(place, .control, item.sequence, itemID: item.itemID, as: nil)
    }
  }

  private mutating func pruneDiscoveryKeys() {
    var needed = Set(
      peers.filter { $0.state == .active || $0.state == .removedUntold }
        .flatMap { [$0.knownGeneration] + [$0.sentGeneration].compactMap { $0 } })
    if let newest = discoveryKeys.keys.max() { needed.insert(newest) }
    needed.formIntersection(discoveryKeys.keys.sorted(by: >).prefix(Limits.discoveryKeys))
    discoveryKeys = discoveryKeys.filter { needed.contains($0.key) }
  }
}
