import Foundation
import GRDB
import LatchkeyModel

/// The reads and writes of commands' effects, within one transaction of the database.
public struct DatabaseEffects: EffectTransaction {
  let database: Database
  let coding: any BodyCoding
  public let own: DeviceID
  /// The device that issued the command, for the audit.
  public let author: DeviceID
  /// The time in Unix milliseconds by this machine's wall clock; for people, never for a decision.
  public let wall: Int64
  public let enforcement: Enforcement
  /// A Boolean value that indicates whether an agent is to carry out what follows from rules.
  public let awaitsAgent: Bool
  /// Edits that other parents of this machine are to hear of.
  private(set) var told: [Register] = []
  /// Facts that this machine has made, of which others are to hear.
  private(set) var newFacts: [Fact] = []
  /// Facts of which a device is to hear again.
  private(set) var reminders: [(device: DeviceID, fact: Fact)] = []
  /// The devices that are to hold all facts about a child.
  private(set) var offers: [(child: ChildID, device: DeviceID)] = []
  /// What was computed of committed facts; `nil` to compute everything anew.
  private let cache: FactCache?
  /// A Boolean value that indicates whether the transaction only reads what is committed.
  private let isReading: Bool
  private var factCounts: [FactCache.Place: Int64] = [:]
  /// Registers that the parent which gave the command is to hear of.
  private(set) var toldAuthor: [Register] = []

  /// Creates the effects' view of a transaction; `enforcement` has no meaning on a parent's node.
  init(
    _ database: Database, _ coding: any BodyCoding, own: DeviceID, author: DeviceID,
    enforcement: Enforcement = .recorded, awaitsAgent: Bool = false, cache: FactCache? = nil, isReading: Bool = false,
    at wall: Int64
  ) {
    (self.cache, self.isReading, self.database) = (cache, isReading, database)
    (self.coding, self.own, self.author) = (coding, own, author)
    (self.wall, self.enforcement, self.awaitsAgent) = (wall, enforcement, awaitsAgent)
  }

  /// Stores a text for the person at this machine; does nothing if one is stored under its ID.
  public mutating func keep(_ message: ReceivedMessage) throws {
    try database.run(
      "INSERT INTO received_message VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [message.commandID.bytes, message.author.bytes, message.text, message.at])
  }

  /// Returns a register, also a deleted one; `nil` if there has been no edit of it.
  public func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { try database.register(key, in: zone) }
  /// Returns the registers of a zone in the order of their keys.
  public func registers(in zone: Zone) throws -> [Register] { try database.registers(in: zone) }
  /// Returns the zones of which registers are held.
  public func zones() throws -> [Zone] { try database.zones() }

  /// Keeps an edit in place of what is held of the register.
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

  /// Has the other parents of this machine hear of edits.
  public mutating func tell(_ registers: [Register]) throws { told += registers }

  /// Has the parent that gave the command hear of registers.
  public mutating func tellAuthor(_ registers: [Register]) throws { toldAuthor += registers }

  /// Keeps what a child's machine says that it holds and this machine has not set or has lost.
  public mutating func note(_ told: [Register], by device: DeviceID) throws {
    try database.note(told, by: device, own: own, at: wall)
  }

  /// Returns the facts of a kind about a child, in the order in which they arrived.
  public func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact] { try database.facts(kind, of: child) }

  /// Returns a value of all facts of a kind about a child.
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

  /// Keeps a value for the next transaction, unless it may include what is not committed.
  private func keep(_ value: any Sendable, at place: FactCache.Place, last: Int64, count: Int64) {
    guard isReading, let cache, cache[place]?.last ?? -1 <= last else { return }
    cache[place] = FactCache.Entry(last: last, count: count, value: value)
  }

  /// Keeps a fact that this machine has made, and has all others that hold the child's facts hear
  /// of it.
  public mutating func add(_ fact: Fact) throws {
    guard let definition = coding.factKinds.definition(fact.kind), let reading = definition.read(fact.text),
      reading.author == own
    else { throw StoreError.unexpected("a fact of the kind \(fact.kind)") }
    if try database.keep(fact, reading, definition, &factCounts) { newFacts.append(fact) }
  }

  /// Has a device hear of a fact that this machine holds, also if the device made it.
  public mutating func remind(_ device: DeviceID, of fact: Fact) throws { reminders.append((device, fact)) }

  /// Has a device hear of all facts about a child.
  public mutating func offerFacts(of child: ChildID, to device: DeviceID) throws { offers.append((child, device)) }

  /// Returns the number of usage records that this machine holds.
  public func usageRecords() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM usage_record") ?? 0
  }

  private func audit(_ action: String, _ target: String, old: String? = nil, new: String? = nil) throws {
    try database.audit(action, of: target, old: old, new: new, by: author, at: wall)
  }
}
