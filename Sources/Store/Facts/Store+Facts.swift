import Foundation
import GRDB
import LatchkeyModel

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

  /// Forgets facts about a child that are older than their kinds say on a family's day, and the
  /// registers of days that are more than `RegisterMap.daysKept` in the past.
  public func forgetPast(of child: ChildID, on day: FamilyDay) async throws(StoreError) {
    try await commits.commit(.upkeep) { [coding] database in
      try database.forgetFacts(of: child, on: day, coding.factKinds)
      try database.forgetRegisters(before: day.advanced(byDays: -RegisterMap.daysKept))
    }
  }
}
