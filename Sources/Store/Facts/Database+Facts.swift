import Foundation
import GRDB
import LatchkeyModel

/// The table of facts. Spec: Protocol/12-facts.md §2.
extension Database {
  /// Returns the facts of a kind about a child, in the order in which they arrived.
  func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact] { try facts(kind, of: child, after: 0).0 }

  /// Returns the facts of a kind that arrived after the fact of that number, and the number of the
  /// last one; `nil` if there are none.
  func facts(_ kind: FactKind, of child: ChildID, after number: Int64) throws -> ([Fact], last: Int64?) {
    var facts: [Fact] = []
    var last: Int64?
    try each(
      "SELECT text, number FROM fact WHERE child = ? AND kind = ? AND number > ? ORDER BY number",
      [child.bytes, kind.rawValue, number]
    ) { columns in
      facts.append(Fact(child, kind, columns.text(0)))
      last = columns.integer(1)
      return true
    }
    return (facts, last)
  }

  func factCount(_ kind: FactKind, of child: ChildID) throws -> Int64 {
    try integer("SELECT COUNT(*) FROM fact WHERE child = ? AND kind = ?", [child.bytes, kind.rawValue]) ?? 0
  }

  func factCounts(_ kind: FactKind) throws -> [ChildID: Int] {
    var counts: [ChildID: Int] = [:]
    for row in try rows("SELECT child, COUNT(*) AS count FROM fact WHERE kind = ? GROUP BY child", [kind.rawValue]) {
      if let child = ChildID(bytes: row["child"] as Data) { counts[child] = row["count"] }
    }
    return counts
  }

  /// Returns all facts about a child for a device: first the device's own, then the others, in the
  /// order of their arrival.
  ///
  /// A device must know its own facts again before it learns what others gave it.
  func facts(of child: ChildID, for device: DeviceID) throws -> [Fact] {
    try rows(
      "SELECT kind, text FROM fact WHERE child = ? ORDER BY author = ? DESC, number",
      [Data(child.bytes), Data(device.bytes)]
    ).map { row in
      guard let kind = FactKind(rawValue: row["kind"]) else { throw StoreError.unexpected("the kind of a fact") }
      return Fact(child, kind, row["text"])
    }
  }

  /// Keeps a fact unless it, or one of the same identity that is kept instead, is held.
  ///
  /// Returns whether it is new. Throws `BodyFault` if there is no room for it. `counts` are the
  /// numbers of facts that the transaction has counted so far; they are not counted again, since a
  /// ledger can be long.
  func keep(
    _ fact: Fact, _ reading: FactReading, _ definition: FactDefinition, _ counts: inout [FactCache.Place: Int64]
  ) throws -> Bool {
    let place: Bindings = [fact.child.bytes, fact.kind.rawValue, reading.identity]
    let held = try first("SELECT text FROM fact WHERE child = ? AND kind = ? AND identity = ?", place, { $0.text(0) })
    if let held {
      guard held != fact.text, definition.isKept(fact.text, held) else { return false }
      try run("DELETE FROM fact WHERE child = ? AND kind = ? AND identity = ?", place)
    } else {
      let counted = FactCache.Place(child: fact.child, kind: fact.kind)
      let count = try counts[counted] ?? factCount(fact.kind, of: fact.child)
      counts[counted] = count
      guard count < Int64(definition.most) else {
        throw BodyFault(
          phrase: Phrase(
            "There is no room for more facts of the kind {kind}: remove the child and add it again to begin anew.",
            ["kind": .text(fact.kind.rawValue)]), .noRoom)
      }
      counts[counted] = count + 1
    }
    try run(
      "INSERT INTO fact (child, kind, identity, text, author, day) VALUES (?, ?, ?, ?, ?, ?)",
      [
        fact.child.bytes, fact.kind.rawValue, reading.identity, fact.text, reading.author.bytes,
        reading.day.description,
      ])
    return true
  }

  /// Forgets the facts about a child that are older than their kinds say on a family's day.
  func forgetFacts(of child: ChildID, on day: FamilyDay, _ kinds: FactRegistry) throws {
    for definition in kinds.kinds {
      guard let days = definition.daysKept else { continue }
      try run(
        "DELETE FROM fact WHERE child = ? AND kind = ? AND day < ?",
        [child.bytes, definition.kind.rawValue, day.advanced(byDays: -days).description])
    }
  }

  /// Deletes all facts about a child, and the list of their holders.
  func forgetFacts(of child: ChildID) throws {
    for table in ["fact", "fact_holder", "carry"] { try run("DELETE FROM \(table) WHERE child = ?", [child.bytes]) }
  }
}

/// The relay of facts. Spec: Protocol/12-facts.md §5.
extension Database {
  /// Queues facts for the other holders of the child's facts, without their sender, after the
  /// reminders.
  ///
  /// The group of the transaction has to be settled before.
  func relay(
    _ facts: [Fact], from sender: DeviceID?, reminding reminders: [(device: DeviceID, fact: Fact)] = [],
    _ store: Store, at wall: Int64
  ) throws -> [OutboxChange] {
    guard !facts.isEmpty || !reminders.isEmpty else { return [] }
    var wanted: [DeviceID: (peer: OutboxAddress, facts: [Fact])] = [:]
    var holders: [ChildID: [OutboxAddress]] = [:]
    for (only, fact) in reminders.map({ ($0.device, $0.fact) }) + facts.map({ (DeviceID?.none, $0) }) {
      let known = try holders[fact.child] ?? factHolders(of: fact.child)
      holders[fact.child] = known
      for peer in known where peer.device != sender && (only == nil || only == peer.device) {
        wanted[peer.device, default: (peer, [])].facts.append(fact)
      }
    }
    return try wanted.sorted { $0.key < $1.key }.flatMap { try queue($1.facts, for: $1.peer, store, at: wall) }
  }

  /// Makes a device a holder of a child's facts, and queues all of them, unless it is a machine of
  /// another child.
  ///
  /// The group of the transaction has to be settled before.
  func offerFacts(of child: ChildID, to device: DeviceID, _ store: Store, at wall: Int64) throws -> [OutboxChange] {
    let peer = try row("SELECT number, role FROM peer WHERE device_id = ? AND state = 2", [Data(device.bytes)])
    guard let peer, let role = DeviceRole(rawValue: peer["role"]) else { return [] }
    if role == .child, try !serves(device, child) { return [] }
    let address = OutboxAddress(number: peer["number"], device: device)
    try run("INSERT OR IGNORE INTO fact_holder VALUES (?, ?)", [address.number, child.bytes])
    return try queue(try facts(of: child, for: device), for: address, store, at: wall)
  }

  /// Ends the sending of facts about a child to a device.
  func endHolding(_ device: DeviceID, _ child: ChildID) throws {
    try run(
      "DELETE FROM fact_holder WHERE child = ? AND peer = (SELECT number FROM peer WHERE device_id = ?)",
      [child.bytes, device.bytes])
  }

  /// Queues for a device all facts that it holds.
  ///
  /// It may have lost some that it made itself. The group of the transaction has to be settled
  /// before.
  func returnFacts(to peer: OutboxAddress, _ store: Store, at wall: Int64) throws -> [OutboxChange] {
    try children(heldBy: peer).flatMap {
      try queue(try facts(of: $0, for: peer.device), for: peer, store, at: wall)
    }
  }

  /// Returns items with all facts that a device holds, including those that it has lost.
  func factItems(for peer: OutboxAddress, _ store: Store) throws -> [QueuedItem] {
    try children(heldBy: peer).flatMap { try facts(of: $0, for: peer.device).factBatches }.map {
      QueuedItem(kind: .facts, id: store.keys.freshID(), body: store.coding.encode($0), level: 0)
    }
  }

  private func children(heldBy peer: OutboxAddress) throws -> [ChildID] {
    try rows("SELECT child FROM fact_holder WHERE peer = ? ORDER BY child", [peer.number]).map { row in
      guard let child = ChildID(bytes: row["child"] as Data) else { throw StoreError.unexpected("a child's ID") }
      return child
    }
  }

  private func factHolders(of child: ChildID) throws -> [OutboxAddress] {
    try all(
      """
      SELECT p.number, p.device_id FROM fact_holder h JOIN peer p ON p.number = h.peer
      WHERE h.child = ? AND p.state = 2 ORDER BY p.number
      """, [child.bytes]
    ) { OutboxAddress(number: $0.integer(0), device: try $0.deviceID(1)) }
  }

  /// Queues facts for a device, in one item with the last that still waits if they fit.
  private func queue(
    _ facts: [Fact], for peer: OutboxAddress, _ store: Store, at wall: Int64
  ) throws -> [OutboxChange] {
    var facts = facts
    let waiting = try row(
      """
      SELECT seq, item_id, body FROM outbox_item WHERE \(OutboxPlace.stream("?1", .control)) AND kind = ?
      ORDER BY place DESC LIMIT 1
      """, [peer.number, ItemKind.facts.rawValue])
    if let waiting, !facts.isEmpty {
      let both = try store.coding.facts(waiting.bytes("body")) + facts
      if both.factBatches.count == 1 {
        try withdraw(peer.number, .control, waiting["seq"], itemID: waiting["item_id"], as: nil, at: wall)
        facts = both
      }
    }
    return try facts.factBatches.map { try enqueue(.facts, store.coding.encode($0), for: peer, store.keys, at: wall) }
  }
}
