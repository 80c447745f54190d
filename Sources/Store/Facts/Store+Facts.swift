import Foundation
import GRDB
import LatchkeyModel
import Synchronization

/// The edits and commands of an act, besides its facts.
public struct ActOrders: Sendable {
  public var edits: [RegisterChange]
  /// Commands to children's machines.
  public var commands: [(device: DeviceID, payload: CommandPayload)]

  public init(edits: [RegisterChange] = [], commands: [(device: DeviceID, payload: CommandPayload)] = []) {
    (self.edits, self.commands) = (edits, commands)
  }

  public static let none = ActOrders()
}

/// The result of an act of a person or of this machine.
public struct FactResult<Value: Sendable>: Sendable {
  public var value: Value
  public var facts: [Fact] = []
  /// The commands that carry its edits, and the others.
  public var commands: [ConfigurationCommand] = []
  /// The streams that carry all of that.
  public var changes: [OutboxChange] = []
  public var hasEdits = false
}

/// Facts that this machine makes. Spec: Protocol/12-facts.md §5.
extension Store {
  /// Makes facts, and edits and commands that belong to them, and queues all of them, in one
  /// transaction.
  ///
  /// `make` makes the facts, and returns a value and the orders; its clock is the hybrid one. If it
  /// throws a `StoreError` or a `BodyFault`, nothing is kept.
  public func act<Value: Sendable>(
    _ maker: EditMaker, at wall: Int64,
    make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws(StoreError) -> FactResult<Value> {
    let age = age()
    return try await commits.commitTogether { [own, coding, factCache] database, group in
      var effects = DatabaseEffects(database, coding, own: own, author: own, cache: factCache, at: wall)
      let (value, orders): (Value, ActOrders)
      do {
        (value, orders) = try make(&effects, ClockReader { try database.tick(wall: wall, author: own) })
      } catch let fault as BodyFault { throw StoreError.refused(fault.description) }
      try group.settle(database)
      var result = FactResult(value: value, facts: effects.newFacts)
      result.changes = try database.relay(effects.newFacts, from: nil, reminding: effects.reminders, self, at: wall)
      for order in orders.commands {
        let (command, change) = try database.issue(
          maker.nextID(), order.payload, to: try group.active(order.device, database), expiresAfter: nil, self,
          in: group, age: age, at: wall)
        result.commands.append(command)
        result.changes.append(change)
      }
      guard !orders.edits.isEmpty else { return result }
      result.hasEdits = true
      var edit = EditTransaction(store: self, database: database, group: group, maker: maker, age: age, wall: wall)
      try edit.make(orders.edits)
      result.commands += edit.result.commands
      result.changes += edit.result.changes
      return result
    }
  }

  /// Returns the facts of some kinds about a child, in the order in which they arrived.
  public func facts(_ kinds: [FactKind], of child: ChildID) async throws(StoreError) -> [Fact] {
    try await read { database in try kinds.flatMap { try database.facts($0, of: child) } }
  }

  /// Returns a number that differs after each change of the facts about a child.
  public func factMark(of child: ChildID) async throws(StoreError) -> Int64 {
    try await read { database in
      try database.integer("SELECT coalesce(MAX(number), 0) FROM fact WHERE child = ?", [child.bytes]) ?? 0
    }
  }

  /// Reads from one state of the database.
  public func look<Value: Sendable>(
    _ body: @escaping @Sendable (DatabaseEffects) throws -> Value
  ) async throws(StoreError) -> Value {
    try await read { [own, coding, factCache] database in
      try body(DatabaseEffects(database, coding, own: own, author: own, cache: factCache, isReading: true, at: 0))
    }
  }

  /// Deletes the facts about a child that are older on this family day than their kinds permit.
  ///
  /// It also deletes the registers of days that are more than `RegisterMap.daysKept` in the past.
  public func forgetPast(of child: ChildID, on day: FamilyDay) async throws(StoreError) {
    try await commits.commit(.upkeep) { [coding] database in
      try database.forgetFacts(of: child, on: day, coding.factKinds)
      try database.forgetRegisters(before: day.advanced(byDays: -RegisterMap.daysKept))
    }
  }
}

/// The receipt of facts. Spec: Protocol/12-facts.md §5.
extension InboxTransaction {
  /// Keeps the facts that this machine may take, and queues those that are new to it for the others
  /// who hold them.
  mutating func applyFacts(_ body: Result<[Fact], BodyFault>) throws {
    var news: [Fact] = []
    var fault: BodyFault?
    var counts: [FactCache.Place: Int64] = [:]
    for fact in try body.get() {
      do { if try take(fact, &counts) { news.append(fact) } } catch let found as BodyFault { fault = fault ?? found }
    }
    result.newFacts += news
    for fact in news where peerRole == .child {
      guard let definition = coding.factKinds.definition(fact.kind), definition.isAsked,
        let id = definition.read(fact.text).flatMap({ Hexadecimal.decode($0.identity) }),
        let request = CommandID(bytes: id)
      else { continue }
      try database.tell(.asked(request, by: fact.child), age: age, at: wall)
    }
    result.changes += try database.relay(news, from: peer.device, store, at: wall)
    if let fault { throw fault }
  }

  /// Queues the facts that an effect has made, and all facts of a child for a device that becomes a
  /// holder.
  mutating func tellFacts(_ effects: DatabaseEffects) throws {
    guard !effects.newFacts.isEmpty || !effects.reminders.isEmpty || !effects.offers.isEmpty else { return }
    // Control streams change in the database itself.
    try group.settle(database)
    result.newFacts += effects.newFacts
    result.changes += try database.relay(effects.newFacts, from: nil, reminding: effects.reminders, store, at: wall)
    for offer in effects.offers {
      if peerRole == .parent { try recallFacts(of: offer.child) }
      result.changes += try database.offerFacts(of: offer.child, to: offer.device, store, at: wall)
    }
  }

  /// Queues all facts for the sender, since its control stream has restarted.
  ///
  /// It may have been restored to a state from before it made some of them, which no other machine
  /// sends it. Without them, it could spend points a second time, and could not withdraw its own
  /// facts.
  mutating func returnFacts() throws {
    try group.settle(database)
    result.changes += try database.returnFacts(to: peer, store, at: wall)
  }

  /// Keeps the facts about a child again that this machine has forgotten and no other machine has
  /// stored yet.
  ///
  /// When the parent learns that the machine is the child's, it sends the facts that it has. That
  /// may be before these facts arrive there.
  private func recallFacts(of child: ChildID) throws {
    let bodies = try database.rows(
      "SELECT body FROM outbox_item WHERE class = \(ItemNumber.control) AND kind = ? ORDER BY place",
      [ItemKind.facts.rawValue]
    ).map { $0.bytes("body") }
    var counts: [FactCache.Place: Int64] = [:]
    for fact in try bodies.flatMap({ try coding.facts($0) }) where fact.child == child {
      guard let definition = coding.factKinds.definition(fact.kind), let reading = definition.read(fact.text)
      else { continue }
      do { _ = try database.keep(fact, reading, definition, &counts) } catch is BodyFault { continue }
    }
  }

  /// Keeps a fact, and returns whether it is new; throws `BodyFault`, the sender's fault, if it
  /// cannot be taken.
  private func take(_ fact: Fact, _ counts: inout [FactCache.Place: Int64]) throws -> Bool {
    let isParent = peerRole == .child
    // Facts that a machine wrote before it learned that it lost the child still count, since there
    // is no copy.
    let isChilds = isParent ? try database.hasServed(peer.device, fact.child) : try database.serves(own, fact.child)
    guard isChilds else { throw BodyFault("The facts are about a child whose machine that is not.", .foreign) }
    guard let definition = coding.factKinds.definition(fact.kind)
    else { throw BodyFault("A fact of the kind \(fact.kind) is not known here.", .unknownKind) }
    guard let reading = definition.read(fact.text)
    else { throw BodyFault("A fact of the kind \(fact.kind) cannot be read.") }
    if let role = try role(of: reading.author, isParent: isParent), let author = definition.author, role != author {
      throw BodyFault("A fact of the kind \(fact.kind) is not a \(role.rawValue)'s to make.", .role)
    }
    return try database.keep(fact, reading, definition, &counts)
  }

  /// Returns the role of the author of a fact; `nil` for a machine that this one does not know.
  private func role(of author: DeviceID, isParent: Bool) throws -> DeviceRole? {
    if author == own { return isParent ? .parent : .child }
    if author == peer.device { return peerRole }
    return try database.row("SELECT role FROM peer WHERE device_id = ?", [Data(author.bytes)]).flatMap {
      DeviceRole(rawValue: $0["role"])
    }
  }
}

/// Values of committed facts, so that a long ledger is not read again for each session.
///
/// Facts only add up: the value of earlier ones and the later facts give the value of all.
final class FactCache: Sendable {
  struct Place: Hashable {
    var child: ChildID
    var kind: FactKind
  }

  struct Entry: Sendable {
    /// The number of the last fact that the value includes.
    var last: Int64
    var count: Int64
    var value: any Sendable
  }

  private let entries = Mutex<[Place: Entry]>([:])

  subscript(place: Place) -> Entry? {
    get { entries.withLock { $0[place] } }
    set { entries.withLock { $0[place] = newValue } }
  }
}
