import LatchkeyModel
import LatchkeyProtocol

/// The content of a node's database, with the transactions of the real store as methods; a copy is
/// a backup.
///
/// A method that throws may have changed the content; the caller restores the earlier copy, like a
/// rollback. `StoreDifferenceTests` compares it with the real store.
package struct ModelStore {
  package let own: DeviceID
  package let caps: QueueCaps
  private(set) var sources: ModelSources
  /// The peers in the order of their first pairing.
  package internal(set) var peers: [ModelPeer] = []
  /// The commands in the order in which they were issued.
  package internal(set) var commands: [ModelCommand] = []
  package internal(set) var receipts: [CommandID: ModelReceipt] = [:]
  /// The data that the effects of commands have written.
  package internal(set) var holdings: ModelHoldings
  /// The effects without an outcome.
  package internal(set) var pending: [ModelPendingEffect] = []
  package internal(set) var usage: [RecordID: UsageRecord] = [:]
  package internal(set) var losses: [RecordID: UsageLoss] = [:]
  /// The lists that machines give of themselves.
  package internal(set) var inventories: [ModelInventory.Place: ModelInventory] = [:]
  package internal(set) var discoveryKeys: [Int64: [UInt8]] = [:]
  var hybrid: HybridTimestamp?
  var noted: (bootID: String, base: Int64, last: BootInstant)?
  var ageClock: AgeClock
  /// The numbers whose items are stored in the next transaction; only a deliberate fault sets them.
  var numbersAhead: [(device: DeviceID, streamClass: StreamClass, epoch: UInt64, item: ModelItem)] = []
  /// For the oracle: the effects and the recorded outcomes in order, and the records with their
  /// parents and pairings.
  package internal(set) var effects: [ModelEffect] = []
  package internal(set) var outcomes: [CommandID] = []
  package internal(set) var reported: [RecordID: [DeviceID: Int]] = [:]
  private(set) var accepted = 0

  package init(own: DeviceID, caps: QueueCaps, sources: ModelSources) {
    self.own = own
    self.caps = caps
    self.sources = sources
    holdings = ModelHoldings(own: own)
    holdings.keepsRepeats = sources.fault == .earnTwice
    ageClock = AgeClock(after: nil, bootID: sources.bootID)
    open()
  }

  /// Continues as a copy on another machine.
  mutating func adopt(_ sources: ModelSources) {
    self.sources = sources
  }

  var coding: any BodyCoding { sources.coding }

  package var messages: Set<CommandID> { holdings.messages }

  /// Opens the store for a new process.
  package mutating func open() {
    ageClock = AgeClock(after: noted, bootID: sources.bootID)
    let before = noted.map { $0.bootID == sources.bootID ? $0.last : BootInstant(milliseconds: 0) }
    noted = (
      sources.bootID, ageClock.base, max(sources.now(), before ?? BootInstant(milliseconds: 0))
    )
  }

  /// Closes the store cleanly, which no simulated process does.
  package mutating func close() { noteAge() }

  /// The clock for waiting times, in milliseconds.
  package var age: Int64 { ageClock.age(at: sources.now()) }

  mutating func noteAge() {
    guard let before = noted, before.bootID == sources.bootID else { return }
    noted = (before.bootID, before.base, max(before.last, sources.now()))
  }

  mutating func nextOrder() -> Int {
    accepted += 1
    return accepted
  }

  // MARK: Peers

  package func peer(_ device: DeviceID) -> ModelPeer? { peers.first { $0.device == device } }

  func place(_ device: DeviceID) throws(ModelStoreFault) -> Int {
    guard let place = peers.firstIndex(where: { $0.device == device }) else { throw .noSuchPeer }
    return place
  }

  // MARK: Outbox

  /// Assigns an item the next number of a stream and stores it.
  @discardableResult
  mutating func enqueue(
    _ place: Int, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8], level: Int64 = 0,
    caps: QueueCaps
  ) throws(ModelStoreFault) -> ModelChange {
    var item = ModelItem(sequence: 1, kind: kind, itemID: itemID, body: body, level: level)
    var stream: ModelPeer.Outgoing
    if let present = peers[place].outgoing[streamClass] {
      stream = present
      guard
        sources.fault == .ignoreCaps
          || stream.waitingItems < caps.items && stream.waitingBytes + item.cost <= caps.bytes
      else { throw .queueFull }
    } else {
      stream = ModelPeer.Outgoing(epoch: sources.freshEpoch())
    }
    stream.last += 1
    item.sequence = stream.last
    stream.waitingItems += 1
    stream.waitingBytes += item.cost
    if sources.fault == .numberBeforeItem, streamClass == .command || streamClass == .usage {
      numbersAhead.append((peers[place].device, streamClass, stream.epoch, item))
    } else {
      stream.items.append(item)
    }
    peers[place].outgoing[streamClass] = stream
    let isHandedOn = streamClass == .command || streamClass == .receipt
    let handed = DeliveryItem(sequence: item.sequence, kind: kind, itemID: itemID, body: body)
    return ModelChange(
      device: peers[place].device, streamClass: streamClass, epoch: stream.epoch, last: stream.last,
      items: isHandedOn && sources.fault != .numberBeforeItem ? [handed] : [])
  }

  /// Stores the items of numbers that were assigned alone; only a deliberate fault calls this.
  mutating func keepItemsOfNumbers() {
    for ahead in numbersAhead {
      guard let place = peers.firstIndex(where: { $0.device == ahead.device }),
        peers[place].outgoing[ahead.streamClass]?.epoch == ahead.epoch,
        ahead.item.sequence > peers[place].outgoing[ahead.streamClass]?.storedThrough ?? 0
      else { continue }
      peers[place].outgoing[ahead.streamClass]?.items.append(ahead.item)
      peers[place].outgoing[ahead.streamClass]?.items.sort { $0.sequence < $1.sequence }
    }
    numbersAhead = []
  }

  /// Removes one item from a queue, so that its number becomes empty.
  mutating func withdraw(
    _ place: Int, _ streamClass: StreamClass, _ sequence: UInt64, itemID: [UInt8], as fate: DeliveryFate?
  ) {
    guard var stream = peers[place].outgoing[streamClass],
      let index = stream.items.firstIndex(where: { $0.sequence == sequence && $0.itemID == itemID })
    else { return }
    stream.waitingItems -= 1
    stream.waitingBytes -= stream.items[index].cost
    stream.items.remove(at: index)
    peers[place].outgoing[streamClass] = stream
    if let fate { tally(place, streamClass, fate, 1) }
  }

  mutating func tally(_ place: Int, _ streamClass: StreamClass, _ fate: DeliveryFate, _ items: Int64) {
    peers[place].tallies[streamClass, default: [:]][fate, default: 0] += items
  }

  /// Returns the streams in both directions at one moment.
  package func streams(with device: DeviceID) -> LinkStreams {
    LinkStreams(outbox: outboxPositions(device), inbox: inboxPositions(device), held: heldItems(device))
  }

  package func outboxPositions(_ device: DeviceID) -> [StreamClass: OutboxPosition] {
    (peer(device)?.outgoing ?? [:]).mapValues {
      OutboxPosition(epoch: $0.epoch, storedThrough: $0.storedThrough, last: $0.last)
    }
  }

  package func inboxPositions(_ device: DeviceID) -> [StreamPosition] {
    let incoming = peer(device)?.incoming ?? [:]
    return StreamClass.allCases.compactMap { streamClass in
      incoming[streamClass].map {
        StreamPosition(streamClass: streamClass, epoch: $0.epoch, through: $0.watermark)
      }
    }
  }

  package func heldItems(_ device: DeviceID) -> [HeldItem] {
    let incoming = peer(device)?.incoming ?? [:]
    return StreamClass.allCases.compactMap { streamClass in
      guard let stream = incoming[streamClass], stream.item > 0 else { return nil }
      return HeldItem(streamClass: streamClass, sequence: stream.item, itemID: stream.itemID)
    }
  }

  /// Returns the classes in which the peer's last item is not the item that has its number here.
  package func foreign(_ device: DeviceID, _ hello: Hello) -> Set<StreamClass> {
    guard let peer = peer(device), sources.fault != .ignoreHeldItems else { return [] }
    return Set(
      hello.held.filter { held in
        guard let position = hello.incoming.first(where: { $0.streamClass == held.streamClass }),
          let stream = peer.outgoing[held.streamClass], stream.epoch == position.epoch
        else { return false }
        let after = (held.sequence + 1)...max(held.sequence + 1, position.through)
        // The numbers after the peer's last item were empty when it received them.
        if position.through > held.sequence,
          after.contains(stream.storedItem) || stream.items.contains(where: { after.contains($0.sequence) })
        {
          return true
        }
        if stream.storedItem == held.sequence { return stream.storedItemID != held.itemID }
        return stream.items.first { $0.sequence == held.sequence }.map { $0.itemID != held.itemID } ?? false
      }.map(\.streamClass))
  }
}
