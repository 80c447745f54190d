import Foundation
import GRDB
import LatchkeyModel

/// The reads and writes of commands' effects, within one transaction of the database.
public struct DatabaseEffects: EffectTransaction {
  let database: Database
  let coding: any BodyCoding
  public let own: DeviceID
  public let author: DeviceID
  public let wall: Int64
  public let enforcement: Enforcement
  public let awaitsAgent: Bool
  /// Edits for this machine's other parents.
  private(set) var told: [Register] = []
  /// Facts that this machine has made, for the others that hold the child's facts.
  private(set) var newFacts: [Fact] = []
  /// Facts to send to a device again.
  private(set) var reminders: [(device: DeviceID, fact: Fact)] = []
  /// The devices that begin to hold all facts about a child.
  private(set) var offers: [(child: ChildID, device: DeviceID)] = []
  /// Values of committed facts; `nil` to compute all of them anew.
  private let cache: FactCache?
  /// Whether the transaction only reads what is committed.
  private let isReading: Bool
  private var factCounts: [FactCache.Place: Int64] = [:]
  /// Registers for the parent that gave the command.
  private(set) var toldAuthor: [Register] = []

  /// Creates the effects' view of a transaction; `enforcement` means nothing on a parent's node.
  init(
    _ database: Database, _ coding: any BodyCoding, own: DeviceID, author: DeviceID,
    enforcement: Enforcement = .recorded, awaitsAgent: Bool = false, cache: FactCache? = nil, isReading: Bool = false,
    at wall: Int64
  ) {
    (self.cache, self.isReading, self.database) = (cache, isReading, database)
    (self.coding, self.own, self.author) = (coding, own, author)
    (self.wall, self.enforcement, self.awaitsAgent) = (wall, enforcement, awaitsAgent)
  }

  public mutating func keep(_ message: ReceivedMessage) throws {
    try database.run(
      "INSERT INTO received_message VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [message.commandID.bytes, message.author.bytes, message.text, message.at])
  }

  public func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { try database.register(key, in: zone) }
  public func registers(in zone: Zone) throws -> [Register] { try database.registers(in: zone) }
  public func zones() throws -> [Zone] { try database.zones() }

  public mutating func save(_ register: Register) throws {
    let old = try database.register(register.key, in: register.zone)?.shownValue
    try database.save(register)
    if case .machine(let device) = register.zone, let child = register.key.servedChild, register.servedChild == nil {
      // A machine keeps nothing of a child whom it does not serve, and hears nothing more.
      factCounts = [:]
      if device == own {
        try database.forgetFacts(of: child)
        try database.forgetPresence(of: child)
      } else {
        try database.endHolding(device, child)
        try database.forgetTold(of: child, by: device)
      }
    }
    try audit("register.set", "\(register.zone) \(register.key)", old: old, new: register.shownValue)
  }

  public mutating func forget(_ zone: Zone) throws {
    try database.run("DELETE FROM register WHERE zone = ?", [zone.bytes])
    if case .child(let child) = zone { try database.forgetSharedUse(of: child, own: own) }
    try audit("zone.forgotten", zone.description)
  }

  public mutating func tell(_ registers: [Register]) throws { told += registers }
  public mutating func tellAuthor(_ registers: [Register]) throws { toldAuthor += registers }

  public mutating func note(_ told: [Register], by device: DeviceID) throws {
    try database.note(told, by: device, own: own, at: wall)
  }

  public func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact] { try database.facts(kind, of: child) }

  public func value<Value: Sendable>(
    of kind: FactKind, _ child: ChildID, empty: Value, add: (inout Value, [Fact]) -> Void
  ) throws -> Value {
    let place = FactCache.Place(child: child, kind: kind)
    let count = try database.factCount(kind, of: child)
    if let known = cache?[place], var value = known.value as? Value {
      let (facts, last) = try database.facts(kind, of: child, after: known.last)
      // Facts that were forgotten or replaced are still in the value.
      if known.count + Int64(facts.count) == count {
        add(&value, facts)
        keep(value, at: place, last: last ?? known.last, count: count)
        return value
      }
    }
    var value = empty
    let (facts, last) = try database.facts(kind, of: child, after: 0)
    add(&value, facts)
    keep(value, at: place, last: last ?? 0, count: count)
    return value
  }

  /// Keeps a value for the next transaction, unless it may include uncommitted facts.
  private func keep(_ value: any Sendable, at place: FactCache.Place, last: Int64, count: Int64) {
    guard isReading, let cache, cache[place]?.last ?? -1 <= last else { return }
    cache[place] = FactCache.Entry(last: last, count: count, value: value)
  }

  public mutating func add(_ fact: Fact) throws {
    guard let definition = coding.factKinds.definition(fact.kind), let reading = definition.read(fact.text),
      reading.author == own
    else { throw StoreError.unexpected("a fact of the kind \(fact.kind)") }
    if try database.keep(fact, reading, definition, &factCounts) { newFacts.append(fact) }
  }

  public mutating func remind(_ device: DeviceID, of fact: Fact) throws { reminders.append((device, fact)) }
  public mutating func offerFacts(of child: ChildID, to device: DeviceID) throws { offers.append((child, device)) }

  public func usageRecords() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM usage_record") ?? 0
  }

  private func audit(_ action: String, _ target: String, old: String? = nil, new: String? = nil) throws {
    try database.audit(action, of: target, old: old, new: new, by: author, at: wall)
  }
}
