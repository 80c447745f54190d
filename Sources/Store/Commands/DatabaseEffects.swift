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
  /// Facts that this machine has made, for the other holders of the child's facts.
  private(set) var newFacts: [Fact] = []
  /// Facts to send to a device again.
  private(set) var reminders: [(device: DeviceID, fact: Fact)] = []
  /// The devices that begin to hold all facts about a child.
  private(set) var offers: [(child: ChildID, device: DeviceID)] = []
  /// Values of committed facts; `nil` to compute all of them anew.
  private let cache: FactCache?
  /// A Boolean value that indicates whether the transaction only reads committed data.
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
    let statement = try database.cachedStatement(
      sql: "INSERT INTO received_message (command_id, author, text, received_at) VALUES (?, ?, ?, ?)")
    try database.run(statement) {
      $0.add(message.commandID)
      $0.add(message.author.bytes)
      $0.add(message.text)
      $0.add(message.at)
    }
  }

  public func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { try database.register(key, in: zone) }
  public func registers(in zone: Zone) throws -> [Register] { try database.registers(in: zone) }
  public func zones() throws -> [Zone] { try database.zones() }

  public mutating func save(_ register: Register) throws {
    let old = try database.register(register.key, in: register.zone)?.shownValue
    try database.save(register)
    if case .machine(let device) = register.zone, let child = register.key.servedChild, register.servedChild == nil {
      // A machine keeps no data of a child whom it does not serve, and gets no more of it.
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

  public func carries(of child: ChildID) throws -> [PointsCarry] {
    try database.rows("SELECT * FROM carry WHERE child = ?", [Data(child.bytes)]).map { row in
      guard let app = AppID(row["app_id"]), let category = AppCategory(rawValue: row["category"]),
        let day = FamilyDay(row["day"]), let remainder = PointsRemainder(parts: row["parts"])
      else { throw StoreError.unexpected("a remainder of points") }
      return PointsCarry(app: app, category: category, day: day, remainder: remainder)
    }
  }

  public mutating func setCarries(_ carries: [PointsCarry], of child: ChildID) throws {
    try database.run("DELETE FROM carry WHERE child = ?", [child.bytes])
    for carry in carries where carry.remainder.parts > 0 {
      try database.run(
        "INSERT INTO carry VALUES (?, ?, ?, ?, ?)",
        [child.bytes, carry.app.text, carry.category.rawValue, carry.day.description, carry.remainder.parts])
    }
  }

  /// Returns for how long at most a reward of the same child was active on this machine beside a
  /// session, in milliseconds.
  ///
  /// The session lasted for `elapsed` milliseconds. With `inOtherAccounts`, rewards in the
  /// session's own account are left out, except unknown programs, since the agent does not know
  /// that these are rewards.
  public func rewardMilliseconds(
    beside record: UsageRecord, elapsed: Int64, inOtherAccounts: Bool = false
  ) throws -> Int64 {
    let (start, end) = (record.householdStart, record.householdStart + elapsed)
    // No session is taken to be longer than 31 days.
    return try database.integer(
      """
      SELECT coalesce(MAX(min(ends, ?3) - max(starts, ?2)), 0) FROM (
        SELECT household_start AS starts, ?3 AS ends FROM open_session
        WHERE category = ?4 AND child IS ?6 AND record_id <> ?5 AND household_start < ?3
          AND (NOT ?7 OR account IS NOT ?8 OR app_id = ?9)
        UNION ALL
        SELECT household_start, household_start + active FROM usage_record
        WHERE device_id = ?1 AND category = ?4 AND child IS ?6 AND household_start < ?3
          AND household_start + active > ?2 AND household_start >= ?2 - 2678400000
          AND (NOT ?7 OR account IS NOT ?8 OR app_id = ?9))
      """,
      [
        own.bytes, start, end, AppCategory.reward.rawValue, record.recordID.bytes, record.child?.bytes,
        inOtherAccounts ? 1 : 0, record.account, AppID.unknownPrograms.text,
      ]) ?? 0
  }
}

/// The carry of one application on one day: the amount below one milli-point that its sessions left
/// over, or paid in advance (Protocol/11-rules.md §6).
public struct PointsCarry: Hashable, Sendable {
  public var app: AppID
  /// The category, which decides whether it earns or costs.
  public var category: AppCategory
  public var day: FamilyDay
  public var remainder: PointsRemainder

  public init(app: AppID, category: AppCategory, day: FamilyDay, remainder: PointsRemainder) {
    (self.app, self.category, self.day, self.remainder) = (app, category, day, remainder)
  }
}
