import LatchkeyModel

/// A list that a machine has given of itself.
package struct ModelInventory: Sendable {
  package struct Place: Hashable, Sendable {
    package var kind: String
    package var device: DeviceID

    package init(_ kind: String, of device: DeviceID) {
      self.kind = kind
      self.device = device
    }
  }

  /// The parts in their order, of which some may be of another list.
  package var parts: [Inventory]
  var teller: DeviceID
  var bootID: String
  var toldAt: BootInstant

  /// The number of the list; 0 while parts of another one are on their way.
  package var number: UInt64 {
    parts.allSatisfy { $0.number == parts[0].number && $0.parts == parts.count } ? parts[0].number : 0
  }

  /// The texts of the entries, each first line once.
  package var entries: [String] {
    var known: Set<Substring> = []
    return parts.flatMap(\.entries).filter { known.insert($0.prefix { $0 != "\n" }).inserted }
  }
}

/// The lists that machines give of themselves. Spec: Protocol/06-messages.md §10.
extension ModelStore {
  /// Keeps a list of this machine, a child's, and queues it for its parents if it has changed.
  @discardableResult
  package mutating func setInventory<Entry>(
    _ list: EntryList<Entry>, for receivers: [Int]? = nil
  ) throws(ModelStoreFault) -> [ModelChange] {
    let place = ModelInventory.Place(Entry.inventory.name, of: own)
    let known = inventories[place]
    let texts = list.entries.map(\.text)
    let isSame = known.map { $0.entries == texts && $0.parts[0].more == list.more } ?? false
    let isNews = Entry.inventory.isRepeated ? !texts.isEmpty || known?.entries.isEmpty == false : !isSame
    guard isNews else { return [] }
    let parts = list.parts(number: (known?.number ?? 0) + 1)
    inventories[place] = ModelInventory(
      parts: parts, teller: own, bootID: "", toldAt: BootInstant(milliseconds: 0))
    var changes: [ModelChange] = []
    for parent in receivers ?? peers.indices.filter({ peers[$0].state == .active && peers[$0].role == .parent }) {
      for item in peers[parent].outgoing[.control]?.items ?? [] where item.kind == .inventory {
        guard (try? coding.inventory(item.body))?.kind == place.kind else { continue }
        withdraw(parent, .control, item.sequence, itemID: item.itemID, as: nil)
      }
      for part in parts {
        changes.append(
          try enqueue(
            parent, .control, kind: .inventory, itemID: Array(sources.keys.freshKey().prefix(16)),
            body: coding.encode(part), caps: QueueCaps()))
      }
    }
    return changes
  }

  /// Returns the items that tell a parent of all lists of this machine.
  func inventoryItems() -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    inventories.filter { $0.key.device == own }.sorted { $0.key.kind < $1.key.kind }.flatMap(\.value.parts).map {
      (.inventory, Array(sources.keys.freshKey().prefix(16)), coding.encode($0), 0)
    }
  }

  mutating func takeInventory(
    _ item: DeliveryItem, _ peer: DeviceID, _ role: DeviceRole, _ result: inout ModelInboxResult
  ) {
    var part: Inventory
    do throws(BodyFault) { part = try coding.inventory(item.body).checked() } catch {
      return passOver(item, .control, error.reason, &result)
    }
    let device = part.device ?? peer
    part.device = nil
    let place = ModelInventory.Place(part.kind, of: device)
    if role == .child {
      guard device == peer else { return passOver(item, .control, .foreign, &result) }
    } else {
      guard InventoryKind.entry(of: part.kind)?.inventory.isShared == true, device != peer else {
        return passOver(item, .control, .role, &result)
      }
      if device == own { return }
      if let known = inventories[place], known.teller != peer, known.bootID == sources.bootID,
        sources.now() - known.toldAt < 300_000, part.number < known.parts[0].number
      {
        return
      }
      part = part.of(Set(holdings.given(to: own)))
    }
    let others = (inventories[place]?.parts ?? []).filter { $0.part != part.part && $0.part < part.parts }
    inventories[place] = ModelInventory(
      parts: (others + [part]).sorted { $0.part < $1.part }, teller: peer, bootID: sources.bootID,
      toldAt: sources.now())
  }
}
