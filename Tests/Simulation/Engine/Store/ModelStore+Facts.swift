import LatchkeyHousehold
import LatchkeyModel

/// The facts of the household. Spec: Protocol/12-facts.md §5.
extension ModelStore {
  /// The commands of an act, each with the machine that gets it.
  package typealias Orders = [(device: DeviceID, payload: CommandPayload)]

  /// Makes facts and the commands that belong to them, and queues all of them.
  package mutating func act(
    nextID: () -> CommandID, at wall: Int64,
    make: (inout ModelHoldings, () -> HybridTimestamp) throws -> Orders
  ) throws(ModelStoreFault) -> [ModelChange] {
    holdings.begin(author: own, at: wall, usage: usage.count)
    let own = own
    var reading = hybrid
    let orders: Orders
    do {
      orders = try make(&holdings) {
        let next = HybridTimestamp.next(after: reading, wall: wall, author: own)
        reading = next
        return next
      }
    } catch { throw .unexpected("\(error)") }
    hybrid = reading
    var changes = try relay(holdings.newFacts, from: nil, reminding: holdings.reminders)
    for order in orders {
      let place = try place(order.device)
      guard peers[place].state == .active else { throw .noSuchPeer }
      changes.append(try issue(nextID(), order.payload, to: place, expiresAfter: nil, at: wall))
    }
    return changes
  }

  /// Returns whether a machine serves a child, according to the registers that are held here.
  private func serves(_ device: DeviceID, _ child: ChildID) -> Bool {
    holdings.given(to: device).contains(child)
  }

  /// Returns whether a machine serves or served a child, according to the registers that are held
  /// here.
  private func hasServed(_ device: DeviceID, _ child: ChildID) -> Bool {
    inMemory { try holdings.register(HouseholdKey.child(child), in: .machine(device)) } != nil
  }

  /// Queues facts for all holders of the child's facts other than the device that they came from.
  ///
  /// Facts of which a holder is reminded go first.
  private mutating func relay(
    _ facts: [Fact], from sender: DeviceID?, reminding reminders: [(device: DeviceID, fact: Fact)] = []
  ) throws(ModelStoreFault) -> [ModelChange] {
    guard !facts.isEmpty || !reminders.isEmpty else { return [] }
    var changes: [ModelChange] = []
    for place in peers.indices.sorted(by: { peers[$0].device < peers[$1].device })
    where peers[place].state == .active && peers[place].device != sender {
      let device = peers[place].device
      let wanted = (reminders.filter { $0.device == device }.map(\.fact) + facts).filter { fact in
        holdings.holders[device]?.contains(fact.child) == true || sources.fault == .tellSiblingsFacts
      }
      guard !wanted.isEmpty else { continue }
      changes += try queue(wanted, for: place)
      // The mistake: the other holders never learn of it.
      if sources.fault == .loseFact { break }
    }
    return changes
  }

  /// Queues the facts that an effect has made, and those that a device holds from now on.
  mutating func tellFacts(_ result: inout ModelInboxResult) throws(ModelStoreFault) {
    result.hasNewFacts = result.hasNewFacts || !holdings.newFacts.isEmpty
    result.changes += try relay(holdings.newFacts, from: nil, reminding: holdings.reminders)
    for offer in holdings.offers {
      guard let place = peers.firstIndex(where: { $0.device == offer.device && $0.state == .active }),
        peers[place].role == .parent || serves(offer.device, offer.child)
      else { continue }
      if peers[place].role == .parent { recallFacts(of: offer.child) }
      holdings.holders[offer.device, default: []].insert(offer.child)
      result.changes += try queue(holdings.facts.facts(of: offer.child, for: offer.device), for: place)
    }
  }

  /// Stores facts about a child again that this machine has forgotten and no other has stored yet.
  private mutating func recallFacts(of child: ChildID) {
    for item in peers.flatMap({ $0.outgoing[.control]?.items ?? [] }) where item.kind == .facts {
      for fact in (try? coding.facts(item.body)) ?? [] where fact.child == child {
        guard let definition = coding.factKinds.definition(fact.kind), let reading = definition.read(fact.text) else {
          continue
        }
        _ = try? holdings.facts.keep(fact, reading, definition)
      }
    }
  }

  private mutating func queue(_ facts: [Fact], for place: Int) throws(ModelStoreFault) -> [ModelChange] {
    var facts = facts
    if let waiting = peers[place].outgoing[.control]?.items.last(where: { $0.kind == .facts }), !facts.isEmpty {
      let both = ((try? coding.facts(waiting.body)) ?? []) + facts
      if both.factBatches.count == 1 {
        withdraw(place, .control, waiting.sequence, itemID: waiting.itemID, as: nil)
        facts = both
      }
    }
    var changes: [ModelChange] = []
    for batch in facts.factBatches {
      changes.append(
        try enqueue(
          place, .control, kind: .facts, itemID: Array(sources.keys.freshKey().prefix(16)), body: coding.encode(batch),
          caps: QueueCaps()))
    }
    return changes
  }

  /// Queues all facts about a device's children for it, since it may have lost some of its own.
  mutating func returnFacts(to place: Int) throws(ModelStoreFault) -> [ModelChange] {
    guard sources.fault != .keepRestoredFacts else { return [] }
    let device = peers[place].device
    var changes: [ModelChange] = []
    for child in (holdings.holders[device] ?? []).sorted() {
      changes += try queue(holdings.facts.facts(of: child, for: device), for: place)
    }
    return changes
  }

  /// Returns the items with all facts about the children of a device, which has lost some of them.
  func factItems(for device: DeviceID) -> [(kind: ItemKind, id: [UInt8], body: [UInt8], level: Int64)] {
    (holdings.holders[device] ?? []).sorted().flatMap { child in
      holdings.facts.facts(of: child, for: device).factBatches.map { batch in
        (.facts, Array(sources.keys.freshKey().prefix(16)), coding.encode(batch), 0)
      }
    }
  }

  /// Stores the facts that this machine may accept, and queues the new ones for the other holders.
  mutating func takeFacts(
    _ item: DeliveryItem, _ place: Int, _ role: DeviceRole, _ result: inout ModelInboxResult
  ) throws(ModelStoreFault) {
    guard let facts = try? coding.facts(item.body) else { return passOver(item, .control, .unreadable, &result) }
    var news: [Fact] = []
    var reason: RefusalReason?
    for fact in facts {
      do throws(BodyFault) {
        if try take(fact, place, role) { news.append(fact) }
      } catch { reason = reason ?? error.reason }
    }
    result.hasNewFacts = result.hasNewFacts || !news.isEmpty
    result.changes += try relay(news, from: peers[place].device)
    if let reason { passOver(item, .control, reason, &result) }
  }

  private mutating func take(_ fact: Fact, _ place: Int, _ role: DeviceRole) throws(BodyFault) -> Bool {
    let isParent = role == .child
    let isChilds = isParent ? hasServed(peers[place].device, fact.child) : serves(own, fact.child)
    guard isChilds || sources.fault == .tellSiblingsFacts else {
      throw BodyFault("foreign", .foreign)
    }
    guard let definition = coding.factKinds.definition(fact.kind) else { throw BodyFault("unknown", .unknownKind) }
    guard let reading = definition.read(fact.text) else { throw BodyFault("unreadable") }
    if let known = self.role(of: reading.author, place, role), let author = definition.author, known != author {
      throw BodyFault("role", .role)
    }
    let isNew = try holdings.facts.keep(fact, reading, definition)
    if isNew { try spoil(fact) }
    return isNew
  }

  private func role(of author: DeviceID, _ place: Int, _ role: DeviceRole) -> DeviceRole? {
    if author == own { return role == .child ? .parent : .child }
    return author == peers[place].device ? role : peer(author)?.role
  }
}
