import LatchkeyHousehold
import LatchkeyModel

/// A coding whose bodies contain only the index of their value in a table.
///
/// It takes a hundredth of the time of the real coding. It is unchecked, since a simulation and
/// everything that belongs to it stay on one thread.
final class TableCoding: BodyCoding, @unchecked Sendable {
  private enum Value {
    case command(CommandBody)
    case receipt(CommandReceipt)
    case usage(UsageRecord)
    case loss(UsageLoss)
    case state(StateInForce)
    case rotation(KeyRotation)
    case refusal(RefusalNotice)
    case inventory(Inventory)
    case registers([Register])
    case facts([Fact])
  }

  let commands = CommandRegistry.simulated
  let factKinds = FactRegistry.household
  private var values: [Value] = []

  private func add(_ value: Value) -> [UInt8] {
    values.append(value)
    var body = [UInt8](repeating: 0, count: 24)
    for place in 0..<8 { body[place] = UInt8(truncatingIfNeeded: values.count >> (8 * place)) }
    return body
  }

  private func value(_ body: [UInt8]) -> Value? {
    guard body.count == 24 else { return nil }
    let place = (0..<8).reduce(0) { $0 | Int(body[$1]) << (8 * $1) } - 1
    return values.indices.contains(place) ? values[place] : nil
  }

  func encode(_ command: CommandBody) -> [UInt8] { add(.command(command)) }
  func encode(_ receipt: CommandReceipt) -> [UInt8] { add(.receipt(receipt)) }
  func encode(_ record: UsageRecord) -> [UInt8] { add(.usage(record)) }
  func encode(_ loss: UsageLoss) -> [UInt8] { add(.loss(loss)) }
  func encode(_ state: StateInForce) -> [UInt8] { add(.state(state)) }
  func encode(_ rotation: KeyRotation) -> [UInt8] { add(.rotation(rotation)) }
  func encode(_ notice: RefusalNotice) -> [UInt8] { add(.refusal(notice)) }
  func encode(_ inventory: Inventory) -> [UInt8] { add(.inventory(inventory)) }
  func encode(_ registers: [Register]) -> [UInt8] { add(.registers(registers)) }
  func encode(_ facts: [Fact]) -> [UInt8] { add(.facts(facts)) }

  private static let fault = BodyFault("The table holds something else here.")

  func command(_ body: [UInt8]) throws(BodyFault) -> CommandBody {
    guard case .command(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func receipt(_ body: [UInt8]) throws(BodyFault) -> CommandReceipt {
    guard case .receipt(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func usageRecord(_ body: [UInt8]) throws(BodyFault) -> UsageRecord {
    guard case .usage(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func inventory(_ body: [UInt8]) throws(BodyFault) -> Inventory {
    guard case .inventory(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func registers(_ body: [UInt8]) throws(BodyFault) -> [Register] {
    guard case .registers(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func facts(_ body: [UInt8]) throws(BodyFault) -> [Fact] {
    guard case .facts(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func usageLoss(_ body: [UInt8]) throws(BodyFault) -> UsageLoss {
    guard case .loss(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func state(_ body: [UInt8]) throws(BodyFault) -> StateInForce {
    guard case .state(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func refusalNotice(_ body: [UInt8]) throws(BodyFault) -> RefusalNotice {
    guard case .refusal(let value)? = value(body) else { throw Self.fault }
    return value
  }

  func rotation(_ body: [UInt8]) throws(BodyFault) -> KeyRotation {
    guard case .rotation(let value)? = value(body) else { throw Self.fault }
    return value
  }
}
