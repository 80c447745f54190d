import LatchkeyModel
import LatchkeyTestSupport

/// The data that the effects of commands read and write, in memory, in place of the real store's tables.
package struct ModelHoldings: EffectTransaction, Sendable {
  package let own: DeviceID
  package private(set) var author: DeviceID
  package private(set) var wall: Int64 = 0
  package let enforcement = Enforcement.recorded
  private var usageCount: Int64 = 0
  package private(set) var messages: Set<CommandID> = []
  package private(set) var registers: [RegisterMap.Place: Register] = [:]
  /// Edits of the transaction that other parents are to hear of.
  package private(set) var told: [Register] = []
  /// Registers of which the parent that gave the command is to hear.
  package private(set) var toldAuthor: [Register] = []
  /// What each child's machine says that it holds and this device has not set or has lost.
  package private(set) var notes: [DeviceID: [RegisterMap.Place: Register]] = [:]
  /// The facts about children, in the order in which they arrived.
  private var facts: [Fact] = []
  package private(set) var values: [DeviceID: [String: [UInt8]]] = [:]

  package init(own: DeviceID) {
    self.own = own
    author = own
  }

  /// Begins a transaction.
  mutating func begin(author: DeviceID, at wall: Int64, usage: Int) {
    self.author = author
    self.wall = wall
    usageCount = Int64(usage)
    told = []
    toldAuthor = []
  }

  package mutating func keep(_ message: ReceivedMessage) throws { messages.insert(message.commandID) }
  package func value(_ key: String, on device: DeviceID) throws -> [UInt8]? { values[device]?[key] }

  /// Returns what the made-up kinds have set on a machine, without removals and without how far it is enforced.
  package func settings(on device: DeviceID) -> [String: [UInt8]] {
    var settings = values[device] ?? [:]
    for (key, bytes) in settings where key.hasPrefix("testSetting:") {
      let rule = inMemory { try SampleState(bytes: bytes) }.rule
      settings[key] = rule.isRemoved ? nil : SampleState(rule).bytes
    }
    return settings
  }

  package mutating func set(_ key: String, on device: DeviceID, to value: [UInt8]?) throws {
    values[device, default: [:]][key] = value
  }

  package func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { registers[.init(zone, key)] }

  package func registers(in zone: Zone) throws -> [Register] {
    registers.values.filter { $0.zone == zone }.sorted { $0.key < $1.key }
  }

  package func zones() throws -> [Zone] { Set(registers.keys.map(\.zone)).sorted() }
  package mutating func save(_ register: Register) throws { registers[.init(register.zone, register.key)] = register }

  package mutating func forget(_ zone: Zone) throws {
    for place in registers.keys where place.zone == zone { registers[place] = nil }
  }

  /// Forgets registers: nothing but a deliberate fault.
  mutating func forget(where isForgotten: (Register) -> Bool) {
    registers = registers.filter { !isForgotten($0.value) }
  }

  package mutating func tell(_ registers: [Register]) throws { told += registers }

  package mutating func tellAuthor(_ registers: [Register]) throws { toldAuthor += registers }

  package mutating func note(_ told: [Register], by device: DeviceID) throws {
    for register in told {
      let place = RegisterMap.Place(register.zone, register.key)
      if register.modified.author == own, let held = registers[place], !register.holds(over: held) { continue }
      if let known = notes[device]?[place], !register.holds(over: known) { continue }
      notes[device, default: [:]][place] = register
    }
  }

  package func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact] {
    facts.filter { $0.kind == kind && $0.child == child }
  }

  package func value<Value: Sendable>(
    of kind: FactKind, _ child: ChildID, empty: Value, add: (inout Value, [Fact]) -> Void
  ) throws -> Value {
    var value = empty
    add(&value, try facts(kind, of: child))
    return value
  }

  package mutating func add(_ fact: Fact) throws { if !facts.contains(fact) { facts.append(fact) } }
  package mutating func offerFacts(of child: ChildID, to device: DeviceID) throws {}

  /// Forgets what a machine said that it holds, since it is no longer paired.
  mutating func forgetNotes(of device: DeviceID) { notes[device] = nil }

  package func usageRecords() throws -> Int64 { usageCount }
}

/// Runs what cannot fail in memory.
func inMemory<Value>(_ work: () throws -> Value) -> Value {
  do { return try work() } catch { preconditionFailure("in memory nothing fails: \(error)") }
}
