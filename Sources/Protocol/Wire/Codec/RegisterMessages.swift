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
    guard let form = UInt8(exactly: zone), let place = Zone(form: form, id: Array(zoneID)) else {
      throw WireError("a register of an unknown zone")
    }
    guard let known = RegisterKey(key) else { throw WireError("a register with a malformed key") }
    if hasValue {
      guard value.utf8.count <= Register.valueBytes else { throw WireError("a register with a value that is too long") }
      guard TextRule.registerValue.allowsCharacters(of: value) else {
        throw WireError("a register with a value that cannot be shown")
      }
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

  /// The names of what a machine carries out otherwise than the registers say.
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
