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

/// The part of a `ConfigurationCommand` that is sent to the child's machine.
public struct CommandBody: Hashable, Sendable {
  public var commandID: CommandID
  /// The parent's machine that issued the command.
  public var author: DeviceID
  /// The time of creation in Unix milliseconds by the author's wall clock.
  public var createdAt: Int64
  public var payload: CommandPayload

  public init(commandID: CommandID, author: DeviceID, createdAt: Int64, payload: CommandPayload) {
    self.commandID = commandID
    self.author = author
    self.createdAt = createdAt
    self.payload = payload
  }
}
