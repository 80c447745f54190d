import LatchkeyModel

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
