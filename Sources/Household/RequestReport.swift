import LatchkeyModel
import LatchkeyProtocol

/// A command that asks a child's machine what it runs and how much it holds.
public struct RequestReport: CommandDefinition {
  /// The name of the kind on the wire and in the database: `requestReport`.
  public static let kind: CommandKind = "requestReport"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [DeviceReport.self]
  /// A Boolean value that indicates whether an executed command shows everything that the child's
  /// machine holds.
  public static let settlesSetBack = true

  public init() {}
  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {}

  /// The wire form.
  public var bytes: [UInt8] { [] }

  /// Executes the command on a child's machine, in the transaction that also queues its receipt.
  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    let registers = try transaction.zones().flatMap { try transaction.registers(in: $0) }
    // A parent that has lost what it had set hears of it.
    try transaction.tellAuthor(registers)
    return .done(
      .report(
        DeviceReport(
          version: Version.software, enforcement: transaction.enforcement,
          usageRecords: try transaction.usageRecords(), registers: registers.count { $0.value != nil })))
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "report what it holds" }
}

extension CommandPayload {
  public static var requestReport: CommandPayload { CommandPayload(RequestReport()) }
}

extension CommandDraft {
  public static var requestReport: CommandDraft { CommandDraft(RequestReport(), for: RequestReport.self) }
}

/// What a child's machine runs and how much it holds, in answer to `requestReport`.
///
/// What it holds of the rules reaches its parents as registers.
public struct DeviceReport: CommandState {
  /// The name of the kind on the wire and in the database: `report`.
  public static let kind: CommandKind = "report"

  /// The software's version, such as `0.1.0`.
  public var version: String
  /// How far the machine enforces rules; `nil` if it has not said so.
  public var enforcement: Enforcement?
  /// The number of usage records that the machine holds.
  public var usageRecords: Int64
  /// The number of settings that the machine holds, without deleted ones.
  public var registers: Int

  public init(version: String, enforcement: Enforcement, usageRecords: Int64, registers: Int) {
    self.version = version
    self.enforcement = enforcement
    self.usageRecords = usageRecords
    self.registers = registers
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_Report(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_Report(self).wireBytes }

  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String {
    "Version \(version) runs there. It holds \(registers) \(registers == 1 ? "setting" : "settings") and "
      + "\(usageRecords) \(usageRecords == 1 ? "record" : "records") of use."
  }
}

extension Latchkey_V1_Report {
  init(_ report: DeviceReport) {
    self.init()
    version = report.version
    enforcement = (report.enforcement ?? .recorded).wire
    usageRecords = report.usageRecords
    registers = UInt32(clamping: report.registers)
  }

  func value() throws(WireError) -> DeviceReport {
    if let fault = TextRule.software.fault(in: version) { throw WireError(fault) }
    guard usageRecords >= 0 else { throw WireError("a negative number of usage records") }
    return DeviceReport(
      version: version, enforcement: try Enforcement(wire: enforcement), usageRecords: usageRecords,
      registers: Int(registers))
  }
}

extension StateInForce {
  /// Creates the state that a receipt carries in answer to a request for a report.
  public static func report(_ report: DeviceReport) -> StateInForce { StateInForce(report) }
}
