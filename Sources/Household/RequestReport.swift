import LatchkeyModel
import LatchkeyProtocol

/// A command that asks a child's machine for its version and the amount of its data.
public struct RequestReport: CommandDefinition {
  public static let kind: CommandKind = "requestReport"
  public static let states: [any CommandState.Type] = [DeviceReport.self]
  /// A Boolean value that indicates whether an executed command shows everything that the machine
  /// holds.
  public static let settlesSetBack = true

  public init() {}

  public init(bytes: [UInt8]) throws(BodyFault) {}

  public var bytes: [UInt8] { [] }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    let registers = try transaction.zones().flatMap { try transaction.registers(in: $0) }
    // A parent that has lost its own registers gets them back.
    try transaction.tellAuthor(registers)
    return .done(
      .report(
        DeviceReport(
          version: Version.software, enforcement: transaction.enforcement,
          usageRecords: try transaction.usageRecords(), registers: registers.count { $0.value != nil })))
  }

  public var summary: String { "report what it holds" }
}

extension CommandPayload {
  public static var requestReport: CommandPayload { CommandPayload(RequestReport()) }
}

extension CommandDraft {
  public static var requestReport: CommandDraft { CommandDraft(RequestReport(), for: RequestReport.self) }
}

/// The version of a child's machine and the amount of its data, as the answer to `requestReport`.
///
/// The rules themselves reach the parents as registers.
public struct DeviceReport: CommandState {
  public static let kind: CommandKind = "report"

  public var version: String
  /// The machine's statement on how far it enforces rules; `nil` if it has made none.
  public var enforcement: Enforcement?
  public var usageRecords: Int64
  /// The number of settings that the machine holds, without deleted ones.
  public var registers: Int

  public init(version: String, enforcement: Enforcement, usageRecords: Int64, registers: Int) {
    (self.version, self.enforcement, self.usageRecords) = (version, enforcement, usageRecords)
    self.registers = registers
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_Report(wire: bytes)
      if let fault = TextRule.software.fault(in: message.version) { throw WireError(fault) }
      guard message.usageRecords >= 0 else { throw WireError("a negative number of usage records") }
      return DeviceReport(
        version: message.version, enforcement: try Enforcement(wire: message.enforcement),
        usageRecords: message.usageRecords, registers: Int(message.registers))
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_Report()
    message.version = version
    message.enforcement = (enforcement ?? .recorded).wire
    message.usageRecords = usageRecords
    message.registers = UInt32(clamping: registers)
    return message.wireBytes
  }

  public var summary: String {
    "Version \(version) runs there. It holds \(registers) \(registers == 1 ? "setting" : "settings") and "
      + "\(usageRecords) \(usageRecords == 1 ? "record" : "records") of use."
  }
}

extension StateInForce {
  public static func report(_ report: DeviceReport) -> StateInForce { StateInForce(report) }
}
