import Foundation
import GRDB
import LatchkeyModel

/// A list that a child's machine has given of itself, as this machine knows it.
package struct KnownInventory<Entry: InventoryEntry>: Hashable, Sendable {
  /// The number of the list; 0 while parts of another one are on their way.
  package var number: UInt64
  package var entries: [Entry]
  /// The number of entries that did not fit into the list.
  package var more: Int
  /// The time at which the list became known, in Unix milliseconds by this machine's wall clock; it
  /// is for people only.
  package var toldAt: Int64
  /// The boot of this machine in which the list became known; empty for a list of this machine.
  package var bootID: String
  package var toldBoot: BootInstant
}

/// The lists that children's machines give of themselves. Spec: Protocol/06-messages.md §10.
extension Store {
  /// Keeps a list of this machine, a child's, in place of the previous one, and queues it for its
  /// parents if it has changed.
  ///
  /// Returns the number of the present list, and the changed streams.
  package func setInventory<Entry>(
    _ list: EntryList<Entry>, at wall: Int64
  ) async throws(StoreError) -> (number: UInt64, changes: [OutboxChange]) {
    // The disk is left alone while nothing changes.
    let known = try await inventory(Entry.self, of: own)
    guard list.isNews(after: known) else { return (known?.number ?? 0, []) }
    return try await commits.commit(.upkeep) { database in
      try Inventories(database: database, store: self, wall: wall).set(list)
    }
  }

  /// Returns the list of a machine; `nil` if none is known.
  package func inventory<Entry>(
    _ type: Entry.Type, of device: DeviceID
  ) async throws(StoreError) -> KnownInventory<Entry>? {
    try await read { [coding] database in try database.inventory(type, of: device, coding) }
  }

  package func inventories<Entry>(_ type: Entry.Type) async throws(StoreError) -> [DeviceID: KnownInventory<Entry>] {
    try await read { [coding] database in try database.inventories(type, coding) }
  }
}

extension EntryList {
  /// Returns whether the list is news for parents after another one.
  func isNews(after known: KnownInventory<Entry>?) -> Bool {
    if Entry.inventory.isRepeated { return !entries.isEmpty || known?.entries.isEmpty == false }
    return known?.entries != entries || known?.more != more
  }
}

extension Database {
  func inventory<Entry>(
    _ type: Entry.Type, of device: DeviceID, _ coding: any BodyCoding
  ) throws -> KnownInventory<Entry>? {
    let parts = try rows(
      "SELECT * FROM inventory WHERE kind = ? AND device_id = ? ORDER BY part",
      [Entry.inventory.name, Data(device.bytes)])
    return KnownInventory(parts, coding)
  }

  func inventories<Entry>(_ type: Entry.Type, _ coding: any BodyCoding) throws -> [DeviceID: KnownInventory<Entry>] {
    let parts = try rows("SELECT * FROM inventory WHERE kind = ? ORDER BY device_id, part", [Entry.inventory.name])
    return try Dictionary(grouping: parts) { try $0.deviceID("device_id") }
      .compactMapValues { KnownInventory<Entry>($0, coding) }
  }
}

extension KnownInventory {
  /// Creates a list from its parts; `nil` if there are none.
  fileprivate init?(_ rows: [Row], _ coding: any BodyCoding) {
    guard let last = rows.last else { return nil }
    // A part that cannot be read is left out. So rules that do not need it still hold.
    let parts = rows.compactMap { try? coding.inventory($0.bytes("body")) }
    guard !parts.isEmpty else { return nil }
    let isWhole = parts.allSatisfy { $0.number == parts[0].number && $0.parts == parts.count }
    // While parts of another list are on their way, an entry may be in two of them.
    let entries = EntryList(parts.flatMap(\.entries).compactMap { Entry(text: $0) }).entries
    self.init(
      number: isWhole ? parts[0].number : 0, entries: entries, more: parts[0].more, toldAt: last["told_at"],
      bootID: last["boot_id"], toldBoot: BootInstant(milliseconds: last["told_boot"] as Int64))
  }
}

/// The lists of machines within one transaction.
struct Inventories {
  let database: Database
  let store: Store
  let wall: Int64

  /// Keeps a list of this machine, and queues it for its parents, or some of them, if it has
  /// changed.
  ///
  /// Returns the number of the present list, and the changed streams.
  func set<Entry>(
    _ list: EntryList<Entry>, for receivers: [OutboxAddress]? = nil
  ) throws -> (number: UInt64, changes: [OutboxChange]) {
    let known = try database.inventory(Entry.self, of: store.own, store.coding)
    guard list.isNews(after: known) else { return (known?.number ?? 0, []) }
    let number = (known?.number ?? 0) &+ 1
    let parts = list.parts(number: number)
    for part in parts { try keep(part, of: store.own, by: store.own, nil) }
    let parents = try receivers ?? database.addresses(role: .parent)
    return (number, try parents.flatMap { try queue(parts, for: $0) })
  }

  /// Keeps a part of a list in place of the previous one, and deletes parts that the list does not
  /// have.
  ///
  /// `clock` is the time of its arrival; `nil` for this machine's own list.
  func keep(_ part: Inventory, of device: DeviceID, by teller: DeviceID, _ clock: StoreClock?) throws {
    try database.run(
      "DELETE FROM inventory WHERE kind = ? AND device_id = ? AND part >= ?",
      [part.kind, device.bytes, Int64(part.parts)])
    try database.run(
      "INSERT OR REPLACE INTO inventory VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        part.kind, device.bytes, Int64(part.part), store.coding.encode(part), teller.bytes, clock?.bootID ?? "",
        clock?.now().milliseconds ?? 0, wall,
      ])
  }

  /// Queues the parts of a list for a peer, in place of the pending parts of an earlier list.
  ///
  /// The group of the transaction has to be settled before.
  func queue(_ parts: [Inventory], for peer: OutboxAddress) throws -> [OutboxChange] {
    let waiting = try database.rows(
      "SELECT seq, item_id, body FROM outbox_item WHERE \(OutboxPlace.stream("?1", .control)) AND kind = ?",
      [peer.number, ItemKind.inventory.rawValue])
    for item in waiting {
      let earlier = try? store.coding.inventory(item.bytes("body"))
      guard earlier?.kind == parts[0].kind, earlier?.device == parts[0].device else { continue }
      try database.withdraw(peer.number, .control, item["seq"], itemID: item["item_id"], as: nil, at: wall)
    }
    return try parts.map { try database.enqueue(.inventory, store.coding.encode($0), for: peer, store.keys, at: wall) }
  }

  func forget(_ type: (some InventoryEntry).Type) throws {
    try database.run("DELETE FROM inventory WHERE kind = ? AND device_id = ?", [type.inventory.name, store.own.bytes])
  }

  /// Returns the items with all lists of this machine for a parent.
  func items() throws -> [QueuedItem] {
    try database.rows("SELECT body FROM inventory WHERE device_id = ? ORDER BY kind, part", [Data(store.own.bytes)]).map
    {
      QueuedItem(kind: .inventory, id: store.keys.freshID(), body: $0.bytes("body"), level: 0)
    }
  }
}
