/// A coding of domain values as item bodies, which lets the store work without knowledge of the
/// wire format.
public protocol BodyCoding: Sendable {
  /// The kinds of command that the coding supports.
  var commands: CommandRegistry { get }
  /// The kinds of fact that the coding supports.
  var factKinds: FactRegistry { get }

  func encode(_ command: CommandBody) -> [UInt8]
  func encode(_ receipt: CommandReceipt) -> [UInt8]
  func encode(_ record: UsageRecord) -> [UInt8]
  func encode(_ loss: UsageLoss) -> [UInt8]
  func encode(_ state: StateInForce) -> [UInt8]
  func encode(_ rotation: KeyRotation) -> [UInt8]
  func encode(_ notice: RefusalNotice) -> [UInt8]
  func encode(_ inventory: Inventory) -> [UInt8]
  func encode(_ registers: [Register]) -> [UInt8]
  func encode(_ facts: [Fact]) -> [UInt8]

  /// Decodes a body; throws `BodyFault`, the sender's fault, if it is malformed or of a kind that
  /// this version does not know.
  func command(_ body: [UInt8]) throws(BodyFault) -> CommandBody
  func receipt(_ body: [UInt8]) throws(BodyFault) -> CommandReceipt
  func usageRecord(_ body: [UInt8]) throws(BodyFault) -> UsageRecord
  func usageLoss(_ body: [UInt8]) throws(BodyFault) -> UsageLoss
  func state(_ body: [UInt8]) throws(BodyFault) -> StateInForce
  func rotation(_ body: [UInt8]) throws(BodyFault) -> KeyRotation
  func refusalNotice(_ body: [UInt8]) throws(BodyFault) -> RefusalNotice
  /// Returns a part of a list, whose entries are not checked.
  func inventory(_ body: [UInt8]) throws(BodyFault) -> Inventory
  func registers(_ body: [UInt8]) throws(BodyFault) -> [Register]
  func facts(_ body: [UInt8]) throws(BodyFault) -> [Fact]
}
