import LatchkeyHousehold
import LatchkeyModel

/// The data that the effects of commands read and write.
///
/// It is in memory, and takes the place of the real store's tables.
package struct ModelHoldings: EffectTransaction, Sendable {
  package let own: DeviceID
  package private(set) var author: DeviceID
  package private(set) var wall: Int64 = 0
  package let enforcement = Enforcement.recorded
  package var awaitsAgent = false
  private var usageCount: Int64 = 0
  package private(set) var messages: Set<CommandID> = []
  package private(set) var registers: [RegisterMap.Place: Register] = [:]
  /// Edits of the transaction that must be sent to other parents.
  package private(set) var told: [Register] = []
  /// Registers that must be sent to the parent that issued the command.
  package private(set) var toldAuthor: [Register] = []
  /// The registers that each child's machine reports, and that this device has not set or has lost.
  package private(set) var notes: [DeviceID: [RegisterMap.Place: Register]] = [:]
  /// A Boolean value that indicates whether repeated learning keeps its points; only a deliberate
  /// fault sets it.
  var keepsRepeats = false
  /// The facts about children.
  package internal(set) var facts = ModelFacts()
  /// The devices that hold facts about children as well.
  package internal(set) var holders: [DeviceID: Set<ChildID>] = [:]
  /// The facts that the transaction has made.
  package private(set) var newFacts: [Fact] = []
  /// For the oracle: all facts that this machine made.
  package private(set) var made: [Fact] = []
  /// Facts that are sent to a device again.
  package private(set) var reminders: [(device: DeviceID, fact: Fact)] = []
  package private(set) var offers: [(child: ChildID, device: DeviceID)] = []

  package init(own: DeviceID) {
    self.own = own
    author = own
  }

  mutating func begin(author: DeviceID, at wall: Int64, usage: Int) {
    self.author = author
    self.wall = wall
    usageCount = Int64(usage)
    told = []
    toldAuthor = []
    newFacts = []
    reminders = []
    offers = []
  }

  package mutating func keep(_ message: ReceivedMessage) throws { messages.insert(message.commandID) }
  package func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { registers[.init(zone, key)] }

  package func registers(in zone: Zone) throws -> [Register] {
    registers.values.filter { $0.zone == zone }.sorted { $0.key < $1.key }
  }

  package func zones() throws -> [Zone] { Set(registers.keys.map(\.zone)).sorted() }
  package mutating func save(_ register: Register) throws {
    registers[.init(register.zone, register.key)] = register
    guard case .machine(let device) = register.zone, let child = register.key.servedChild, register.servedChild == nil
    else { return }
    if device == own { forgetFacts(of: child) } else { holders[device]?.remove(child) }
  }

  private mutating func forgetFacts(of child: ChildID) {
    facts.forget(child)
    for device in holders.keys { holders[device]?.remove(child) }
  }

  package mutating func forget(_ zone: Zone) throws {
    for place in registers.keys where place.zone == zone { registers[place] = nil }
  }

  /// Forgets registers; only a deliberate fault calls this.
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
      noteOwner(register, device)
    }
  }

  /// Stops sending a machine what concerns a child whom another parent has taken from it.
  private mutating func noteOwner(_ told: Register, _ device: DeviceID) {
    guard case .machine = told.zone, let child = told.key.servedChild, told.servedChild == nil else { return }
    if !given(to: device).contains(child) { holders[device]?.remove(child) }
  }

  /// Returns the children whose registers and facts are sent to a machine.
  package func given(to device: DeviceID) -> [ChildID] {
    let told = (notes[device] ?? [:]).values.filter { $0.zone == .machine(device) }
    return inMemory { try registers(in: .machine(device)) }.narrowed(by: told).servedChildren
  }

  package func facts(_ kind: FactKind, of child: ChildID) throws -> [Fact] { facts.facts(kind, of: child) }

  package func value<Value: Sendable>(
    of kind: FactKind, _ child: ChildID, empty: Value, add: (inout Value, [Fact]) -> Void
  ) throws -> Value {
    if kind == .ledger, let ledger = facts.ledgers[child] as? Value { return ledger }
    var value = empty
    add(&value, try facts(kind, of: child))
    return value
  }

  package mutating func add(_ fact: Fact) throws {
    guard let definition = FactRegistry.household.definition(fact.kind), let reading = definition.read(fact.text),
      reading.author == own
    else { throw BodyFault("A fact of the kind \(fact.kind) cannot be made here.") }
    if keepsRepeats, fact.text.hasPrefix("repeated ") { return }
    guard try facts.keep(fact, reading, definition) else { return }
    newFacts.append(fact)
    made.append(fact)
  }

  package mutating func remind(_ device: DeviceID, of fact: Fact) throws { reminders.append((device, fact)) }

  package mutating func offerFacts(of child: ChildID, to device: DeviceID) throws { offers.append((child, device)) }

  /// Forgets the registers that a machine reported, since it is no longer paired.
  mutating func forgetNotes(of device: DeviceID) { notes[device] = nil }

  package func usageRecords() throws -> Int64 { usageCount }
}

/// Runs work that cannot fail in memory.
func inMemory<Value>(_ work: () throws -> Value) -> Value {
  do { return try work() } catch { preconditionFailure("in memory nothing fails: \(error)") }
}
