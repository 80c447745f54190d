import LatchkeyModel

/// The encoding of items' bodies as protobuf messages (Protocol/06-messages.md).
public struct MessageBodyCoding: BodyCoding {
  public let commands: CommandRegistry
  public let factKinds: FactRegistry

  public init(_ commands: CommandRegistry, _ facts: FactRegistry) {
    (self.commands, self.factKinds) = (commands, facts)
  }

  public func encode(_ command: CommandBody) -> [UInt8] { Latchkey_V1_Command(command).wireBytes }
  public func encode(_ receipt: CommandReceipt) -> [UInt8] { Latchkey_V1_Receipt(receipt).wireBytes }
  public func encode(_ record: UsageRecord) -> [UInt8] { Latchkey_V1_UsageRecord(record).wireBytes }
  public func encode(_ loss: UsageLoss) -> [UInt8] { Latchkey_V1_UsageLoss(loss).wireBytes }
  public func encode(_ state: StateInForce) -> [UInt8] { Latchkey_V1_State(state).wireBytes }
  public func encode(_ rotation: KeyRotation) -> [UInt8] { Latchkey_V1_KeyRotation(rotation).wireBytes }
  public func encode(_ notice: RefusalNotice) -> [UInt8] { Latchkey_V1_Refusal(notice).wireBytes }
  public func encode(_ inventory: Inventory) -> [UInt8] { Latchkey_V1_Inventory(inventory).wireBytes }
  public func encode(_ registers: [Register]) -> [UInt8] { Latchkey_V1_Registers(registers).wireBytes }
  public func encode(_ facts: [Fact]) -> [UInt8] { Latchkey_V1_Facts(facts).wireBytes }

  public func command(_ body: [UInt8]) throws(BodyFault) -> CommandBody {
    try fault("command") { () throws(WireError) in try Latchkey_V1_Command(wire: body).value(commands) }
  }

  public func receipt(_ body: [UInt8]) throws(BodyFault) -> CommandReceipt {
    try fault("receipt") { () throws(WireError) in try Latchkey_V1_Receipt(wire: body).value(commands) }
  }

  public func usageRecord(_ body: [UInt8]) throws(BodyFault) -> UsageRecord {
    try fault("usage record") { () throws(WireError) in try Latchkey_V1_UsageRecord(wire: body).value() }
  }

  public func usageLoss(_ body: [UInt8]) throws(BodyFault) -> UsageLoss {
    try fault("usage loss") { () throws(WireError) in try Latchkey_V1_UsageLoss(wire: body).value() }
  }

  public func state(_ body: [UInt8]) throws(BodyFault) -> StateInForce {
    try fault("state") { () throws(WireError) in try Latchkey_V1_State(wire: body).value(commands) }
  }

  public func rotation(_ body: [UInt8]) throws(BodyFault) -> KeyRotation {
    try fault("key rotation") { () throws(WireError) in try Latchkey_V1_KeyRotation(wire: body).value() }
  }

  public func refusalNotice(_ body: [UInt8]) throws(BodyFault) -> RefusalNotice {
    try fault("refusal") { () throws(WireError) in try Latchkey_V1_Refusal(wire: body).value() }
  }

  /// Returns the part of a list in a body, whose entries are not checked.
  public func inventory(_ body: [UInt8]) throws(BodyFault) -> Inventory {
    try fault("list") { () throws(WireError) in try Latchkey_V1_Inventory(wire: body).value() }
  }

  public func registers(_ body: [UInt8]) throws(BodyFault) -> [Register] {
    try fault("list of registers") { () throws(WireError) in try Latchkey_V1_Registers(wire: body).value() }
  }

  public func facts(_ body: [UInt8]) throws(BodyFault) -> [Fact] {
    try fault("list of facts") { () throws(WireError) in try Latchkey_V1_Facts(wire: body).value() }
  }

  private func fault<Value>(_ what: String, _ read: () throws(WireError) -> Value) throws(BodyFault) -> Value {
    do { return try read() } catch {
      if let phrase = error.phrase { throw BodyFault(phrase: phrase) }
      let why = error.description
      throw BodyFault("The \(what) cannot be read: \(why.hasSuffix(".") ? String(why.dropLast()) : why).")
    }
  }
}
