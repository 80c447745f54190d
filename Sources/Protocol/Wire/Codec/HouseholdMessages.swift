import LatchkeyModel

extension Latchkey_V1_Register {
  init(_ register: Register) {
    self.init()
    zone = UInt32(register.zone.form)
    zoneID = WireBytes(register.zone.id)
    key = register.key.text
    if let text = register.value { value = text }
    modified = .init(register.modified)
  }

  func register() throws(WireError) -> Register {
    guard let form = UInt8(exactly: zone), let place = Zone(form: form, id: Array(zoneID))
    else { throw WireError("a register of an unknown zone") }
    guard let known = RegisterKey(key) else { throw WireError("a register with a malformed key") }
    if hasValue {
      guard value.utf8.count <= Register.valueBytes else { throw WireError("a register with a value that is too long") }
      guard TextRule.registerValue.allowsCharacters(of: value)
      else { throw WireError("a register with a value that cannot be shown") }
    }
    return Register(place, known, hasValue ? value : nil, modified: try modified.value())
  }
}

extension Latchkey_V1_Registers {
  package init(_ registers: [Register], _ enforcement: Enforcement? = nil, exceptions: [String] = []) {
    self.init()
    self.exceptions = exceptions
    self.registers = registers.map(Latchkey_V1_Register.init)
    self.enforcement = enforcement?.wire ?? 0
  }

  /// The names of the exceptions: what a machine carries out otherwise than the registers say.
  package func exceptionNames() throws(WireError) -> [String] {
    guard exceptions.count <= Limits.receiptExceptions else { throw WireError("\(exceptions.count) exceptions") }
    for name in exceptions where MachineCondition(name).fault != nil { throw WireError("an exception without a name") }
    return exceptions
  }

  package func value() throws(WireError) -> [Register] {
    guard registers.count <= Limits.editRegisters else { throw WireError("\(registers.count) registers") }
    var list: [Register] = []
    var seen: Set<RegisterMap.Place> = []
    for message in registers {
      let register = try message.register()
      guard seen.insert(.init(register.zone, register.key)).inserted else { throw WireError("a register named twice") }
      list.append(register)
    }
    return list
  }
}

extension Latchkey_V1_Facts {
  init(_ facts: [LatchkeyModel.Fact]) {
    self.init()
    self.facts = facts.map { fact in
      var message = Fact()
      message.child = WireBytes(fact.child.bytes)
      message.kind = fact.kind.rawValue
      message.text = fact.text
      return message
    }
  }

  func value() throws(WireError) -> [LatchkeyModel.Fact] {
    guard (1...Limits.factItems).contains(facts.count) else { throw WireError("\(facts.count) facts") }
    var list: [LatchkeyModel.Fact] = []
    for message in facts {
      guard let child = ChildID(bytes: Array(message.child)) else { throw WireError("a fact about no child") }
      guard let kind = FactKind(rawValue: message.kind) else { throw WireError("a fact of a malformed kind") }
      if let fault = TextRule.fact.fault(in: message.text) { throw WireError(fault) }
      list.append(LatchkeyModel.Fact(child, kind, message.text))
    }
    return list
  }
}

/// Spec: Protocol/06-messages.md §10.
extension Latchkey_V1_Inventory {
  init(_ inventory: Inventory) {
    self.init()
    if let device = inventory.device { self.device = WireBytes(device.bytes) }
    kind = inventory.kind
    number = inventory.number
    part = UInt32(clamping: inventory.part)
    parts = UInt32(clamping: inventory.parts)
    more = UInt32(clamping: inventory.more)
    entries = inventory.entries
  }

  func value() throws(WireError) -> Inventory {
    let device = hasDevice ? DeviceID(bytes: Array(self.device)) : nil
    guard !hasDevice || device != nil else { throw WireError("a device that is no device ID") }
    guard number > 0 else { throw WireError("a list without a number") }
    guard (1...UInt32(Limits.inventoryParts)).contains(parts), part < parts
    else { throw WireError("part \(part) of \(parts) of a list") }
    for text in entries { if let fault = TextRule.inventoryEntry.fault(in: text) { throw WireError(fault) } }
    return Inventory(
      device: device, kind: kind, number: number, part: Int(part), parts: Int(parts), more: Int(more),
      entries: entries)
  }
}

extension Latchkey_V1_Timestamp {
  package init(_ timestamp: HybridTimestamp) {
    self.init()
    wall = timestamp.wall
    counter = timestamp.counter
    author = WireBytes(timestamp.author.bytes)
  }

  package func value() throws(WireError) -> HybridTimestamp {
    guard let author = DeviceID(bytes: author) else { throw WireError("an author that is no device ID") }
    guard HybridTimestamp.walls.contains(wall) else { throw WireError("a time of a change that no calendar has") }
    return HybridTimestamp(wall: wall, counter: counter, author: author)
  }
}

extension AppCategory {
  package var wire: UInt32 {
    switch self {
    case .learning: 1
    case .reward: 2
    case .neutral: 3
    }
  }

  package init(wire: UInt32) throws(WireError) {
    guard let known = Self.allCases.first(where: { $0.wire == wire }) else { throw WireError("category \(wire)") }
    self = known
  }
}

extension Enforcement {
  package var wire: UInt32 {
    switch self {
    case .recorded: 1
    case .enforced: 2
    case .ownPrograms: 3
    }
  }

  package init(wire: UInt32) throws(WireError) {
    guard let known = Self.allCases.first(where: { $0.wire == wire }) else { throw WireError("enforcement \(wire)") }
    self = known
  }
}
