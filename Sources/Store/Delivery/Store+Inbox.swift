import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Brings items into force: effects, receipts and watermarks in one transaction.
  ///
  /// Items that are already in force change nothing. On a full disk, the items are stored in parts,
  /// as far as there is space. The stored items are in force, and are ignored when they are
  /// repeated. The result contains their effects and the fault. A `removal` among the runs has a
  /// verified signature. Items in flight while a device is removed are refused with `noSuchPeer`. A
  /// removal that arrived in a session of an earlier pairing is refused as well, since it ends that
  /// pairing and not the present one. `sessionKey` is the pairwise key of the session that brought
  /// the items; `nil` if it belongs to the present pairing. Receipts state how far this machine
  /// enforces rules, and whether an agent has not confirmed yet that they are in force
  /// (`awaitsAgent`).
  public func receive(
    _ runs: [ItemRun], from device: DeviceID, role: DeviceRole, in sessionKey: [UInt8]? = nil, enforcement: Enforcement,
    awaitsAgent: Bool = false, at wall: Int64
  ) async throws(StoreError) -> InboxResult {
    do throws(StoreError) {
      return try await receiveAtOnce(
        runs, from: device, role: role, in: sessionKey, enforcement: enforcement, awaitsAgent: awaitsAgent,
        mayWait: Self.mayWait(runs), at: wall)
    } catch .diskFull where runs.reduce(0, { $0 + $1.items.count }) > 1 {}
    var result = InboxResult()
    var taken: [ItemRun] = []
    var step = Self.longestPart
    for run in runs {
      var rest = run.items[...]
      while !rest.isEmpty, !result.wasRemoved {
        var part = run
        part.items = Array(rest.prefix(step))
        do throws(StoreError) {
          result.add(
            try await receiveAtOnce(
              [part], from: device, role: role, in: sessionKey, enforcement: enforcement, awaitsAgent: awaitsAgent,
              mayWait: false, at: wall))
          taken.append(part)
          rest = rest.dropFirst(step)
        } catch .diskFull where step > 1 {
          step /= 4
        } catch {
          guard !taken.isEmpty else { throw error }
          result.fault = error
          result.taken = taken
          return result
        }
      }
    }
    return result
  }

  /// The number of items in the first part on a full disk; a power of four.
  private static var longestPart: Int { 64 }

  /// Returns whether runs wait a moment for another commit: those with a few receipts and nothing
  /// else.
  ///
  /// The next command is often given right after the last one was stored, and would otherwise wait
  /// for the commit of that one's receipt. More receipts fill a commit of their own.
  static func mayWait(_ runs: [ItemRun]) -> Bool {
    runs.allSatisfy { $0.streamClass == .receipt } && runs.reduce(0) { $0 + $1.items.count } <= 8
  }

  private func receiveAtOnce(
    _ runs: [ItemRun], from device: DeviceID, role: DeviceRole, in sessionKey: [UInt8]?, enforcement: Enforcement,
    awaitsAgent: Bool, mayWait: Bool, at wall: Int64
  ) async throws(StoreError) -> InboxResult {
    let decoded = runs.map { DecodedRun($0, coding) }
    let hasRemoval = runs.contains { $0.items.contains { $0.kind == .removal } }
    let age = age()
    // The answer of a command says more than the note that it is stored, which then has no row to
    // change.
    return try await commits.commitTogether(wait: mayWait ? .forAnother : .none, comesFirst: true) { database, group in
      let isRemoved = try database.first(
        "SELECT state FROM peer WHERE device_id = ?", [device.bytes],
        { $0.integer(0) >= PeerRecord.State.removedUntold.rawValue })
      guard isRemoved != true else { throw StoreError.noSuchPeer }
      var inbox = InboxTransaction(
        store: self, database: database, group: group, peer: try database.address(of: device), peerRole: role,
        enforcement: enforcement, awaitsAgent: awaitsAgent, age: age, wall: wall)
      if hasRemoval, let sessionKey { try inbox.checkPairing(of: sessionKey) }
      // A sender that removed this device has nothing more to say.
      for run in decoded where !inbox.result.wasRemoved { try inbox.apply(run) }
      try inbox.tellRefusals()
      if let reason = inbox.result.faults.last, !inbox.result.wasRemoved {
        try database.noteUnusable(inbox.result.faults.count, of: inbox.peer.number, reason, at: wall)
      }
      return inbox.result
    }
  }
}

/// The work of one transaction with received items.
struct InboxTransaction {
  let store: Store
  let database: Database
  let group: WriteGroup
  let peer: OutboxAddress
  let peerRole: DeviceRole
  let enforcement: Enforcement
  let awaitsAgent: Bool
  /// The clock by which items age, in milliseconds.
  let age: Int64
  let wall: Int64
  /// A Boolean value that indicates whether a removal leaves a later, incomplete pairing unchanged.
  var keepsPending = false
  var result = InboxResult()
  /// The ignored items without a receipt.
  var refused: [RefusedItem] = []
  /// The children whom the child's machine among the two serves, once that was looked up.
  var servedChildren: Set<ChildID>?
  /// The records that are kept of each other machine, as far as they were counted.
  var sharedRecords: [DeviceID: Int64] = [:]

  var own: DeviceID { store.own }
  var coding: any BodyCoding { store.coding }
  var keys: any KeySource { store.keys }
  var caps: QueueCaps { store.caps }
  var clock: StoreClock { store.clock }

  mutating func apply(_ decoded: DecodedRun) throws {
    guard let last = decoded.items.last?.item.skipThrough else { return }
    let (streamClass, classNumber) = (decoded.streamClass, Int64(decoded.streamClass.rawValue))
    let epoch = Int64(bitPattern: decoded.epoch)
    var held: DeliveryItem?
    let before = try database.first(
      "SELECT epoch, watermark FROM inbox_stream WHERE peer = ? AND class = ?", [peer.number, classNumber],
      { (epoch: $0.integer(0), watermark: $0.unsigned(1)) })
    var watermark = before?.epoch == epoch ? before?.watermark ?? 0 : 0
    for decoded in decoded.items where decoded.item.skipThrough > watermark {
      let item = decoded.item
      guard item.sequence <= watermark + 1 else { throw StoreError.unexpected("a gap in \(streamClass.word)") }
      watermark = item.skipThrough
      guard item.kind != .skip else { continue }
      held = item
      try apply(decoded, streamClass)
      // A sender that removed this device has nothing more to say.
      if result.wasRemoved { return }
    }
    guard watermark >= last else { throw StoreError.unexpected("a watermark that fell back") }
    try database.run(
      """
      INSERT INTO inbox_stream VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET epoch = excluded.epoch, watermark = excluded.watermark,
        item = iif(excluded.item > 0, excluded.item, iif(epoch = excluded.epoch, item, 0)),
        item_id = iif(excluded.item > 0, excluded.item_id, iif(epoch = excluded.epoch, item_id, x''))
      """,
      [
        peer.number, classNumber, epoch, Int64(bitPattern: watermark), Int64(bitPattern: held?.sequence ?? 0),
        held?.itemID ?? [],
      ])
    if streamClass == .control, let before, before.epoch != epoch, before.watermark > 0 { try returnFacts() }
  }

  private mutating func apply(_ decoded: DecodedItem, _ streamClass: StreamClass) throws {
    // Removals and keys change streams in the database itself.
    if streamClass == .control { try group.settle(database) }
    if try decoded.apply(in: &self) { return }
    let item = decoded.item
    let what = "An item of kind \(item.kind.rawValue) in the \(streamClass.word) stream is not known here."
    passOver(item, streamClass, BodyFault(what, .unknownKind))
    // The author of a command gets a receipt even if this version does not know the kind.
    if streamClass == .command {
      try refuse(
        item, ToldSentence(Phrase("This machine's version does not know this kind of item: update Latchkey on it.")))
    }
  }

  mutating func applyUsage(_ item: DeliveryItem, _ body: Result<UsageRecord, BodyFault>) throws {
    var record = try body.get()
    guard peerRole == .parent || record.device == peer.device else {
      throw BodyFault("The usage record is of another device than the one that sent it.", .foreign)
    }
    guard record.recordID.bytes == item.itemID else {
      throw BodyFault("The usage record has another ID than its item.", .wrongID)
    }
    if peerRole == .parent { return try takeShared(record) }
    // Whose use it was is believed of a machine that serves the child.
    if let child = record.child, try !served().contains(child) { record.child = nil }
    guard try database.insert(record, in: group, at: wall) else { return }
    result.usageRecords += 1
    result.hasNewUse = true
    try passOn(record)
  }

  mutating func applyLoss(_ item: DeliveryItem, _ body: Result<UsageLoss, BodyFault>) throws {
    let loss = try body.get()
    guard loss.device == peer.device else {
      throw BodyFault("The loss is of another device than the one that sent it.", .foreign)
    }
    guard loss.lossID.bytes == item.itemID else {
      throw BodyFault("The loss has another ID than its item.", .wrongID)
    }
    try database.keep(loss, parent: nil, at: wall)
  }

  /// Determines which pairing a removal in a session with a key ends.
  ///
  /// Throws `StoreError.noSuchPeer` for a key of an earlier pairing than the present one.
  mutating func checkPairing(of sessionKey: [UInt8]) throws {
    guard let row = try database.row("SELECT * FROM peer WHERE number = ?", [peer.number]) else { return }
    let record = try PeerRecord(row)
    guard record.callingKeys.contains(sessionKey) else { throw StoreError.noSuchPeer }
    keepsPending = record.pendingKey.map { $0 != sessionKey } ?? false
  }

  mutating func removePeer() throws {
    result.wasRemoved = true
    // Commands for the sender cannot be delivered any more, and their authors are told.
    result.commands += try database.giveUp(peer.number, "The device has unpaired this machine.", wall).cancelled
    try database.closeStreams(of: peer.device)
    try database.eraseKeys(of: peer.device, keepsPending: keepsPending)
    try database.audit("device.removed", of: own.description, by: peer.device, at: wall)
    // A device that leaves the household knows its discovery key, just like one that is removed.
    if peerRole == .child {
      result.changes += try database.rotateDiscoveryKey(store, at: wall)
    } else {
      try database.noteLeft(peer.number, age: age, at: wall)
      result.changes += try inventories.setParents(age: age)
    }
  }

  mutating func applyRotation(_ body: Result<KeyRotation, BodyFault>) throws {
    guard peerRole == .parent else { throw BodyFault("Only a parent's device gives out new keys.", .role) }
    let rotation = try body.get()
    if let pending = try database.row("SELECT pending_key FROM peer WHERE number = ?", [peer.number])?["pending_key"]
      as Data?, keys.keyID(of: [UInt8](pending)) == rotation.replaces
    {
      // Keys that replace those of an incomplete pairing prove that the other side completed it.
      try group.settle(database)
      result.hasCompletedPairing = try database.promote(peer.device, store, age: age, at: wall)
    }
    guard let row = try database.row("SELECT * FROM peer WHERE number = ? AND state = 2", [peer.number]) else { return }
    var pairwise = PairwiseKeys(row)
    pairwise.received(rotation.pairwiseKey, replacing: rotation.replaces) { keys.keyID(of: $0) }
    try database.save(pairwise, of: peer)
    try database.run(
      "UPDATE peer SET known_generation = max(known_generation, ?) WHERE number = ?",
      [rotation.generation, peer.number])
    result.hasNewKeys = true
  }
}
