import LatchkeyModel

/// The data that the effects of commands read and write, in memory, in place of the real store's tables.
package struct ModelHoldings: EffectTransaction, Sendable {
  package struct Rule: Hashable, Sendable {
    package var configuration: AppConfiguration
    package var enforcement: Enforcement?
  }

  package let own: DeviceID
  package private(set) var author: DeviceID
  package private(set) var wall: Int64 = 0
  package let enforcement = Enforcement.recorded
  private var usageCount: Int64 = 0
  package private(set) var rules: [DeviceID: [AppID: Rule]] = [:]
  /// The removals on this device, which an older rule does not undo.
  private var removals: [AppID: HybridTimestamp] = [:]
  package private(set) var familySettings: FamilySettings?
  package private(set) var messages: Set<CommandID> = []
  package private(set) var registers: [RegisterMap.Place: Register] = [:]
  /// Edits of the transaction that other parents are to hear of.
  package private(set) var told: [Register] = []
  /// What each child's machine says that it holds where another parent has set it.
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
  }

  package func app(
    _ id: AppID, on device: DeviceID
  ) throws -> (configuration: AppConfiguration, enforcement: Enforcement?)? {
    rules[device]?[id].map { ($0.configuration, $0.enforcement) }
  }

  package func apps(on device: DeviceID) throws -> [AppConfiguration] {
    (rules[device] ?? [:]).values.map(\.configuration).sorted { $0.appID < $1.appID }
  }

  package mutating func save(
    _ configuration: AppConfiguration, on device: DeviceID, enforcement: Enforcement?, isNews: Bool
  ) throws {
    rules[device, default: [:]][configuration.appID] = Rule(configuration: configuration, enforcement: enforcement)
  }

  package mutating func removeApp(_ id: AppID, on device: DeviceID) throws { rules[device]?[id] = nil }
  package func removal(of id: AppID) throws -> HybridTimestamp? { removals[id] }
  package mutating func noteRemoval(of id: AppID, _ modified: HybridTimestamp) throws { removals[id] = modified }
  package mutating func forgetRemoval(of id: AppID) throws { removals[id] = nil }
  package func settings() throws -> FamilySettings? { familySettings }
  package mutating func save(_ settings: FamilySettings, isNews: Bool) throws { familySettings = settings }
  package mutating func removeSettings() throws { familySettings = nil }
  package mutating func keep(_ message: ReceivedMessage) throws { messages.insert(message.commandID) }
  package func value(_ key: String, on device: DeviceID) throws -> [UInt8]? { values[device]?[key] }

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

  package mutating func tell(_ registers: [Register]) throws { told += registers }

  package mutating func note(_ told: [Register], by device: DeviceID) throws {
    for register in told {
      let place = RegisterMap.Place(register.zone, register.key)
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

  package func usageRecords() throws -> Int64 { usageCount }
}

/// Runs what cannot fail in memory.
func inMemory<Value>(_ work: () throws -> Value) -> Value {
  do { return try work() } catch { preconditionFailure("in memory nothing fails: \(error)") }
}
