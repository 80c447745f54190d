import LatchkeyModel

/// Asks a machine for its applications and rules as they are.
public struct RequestReport: CommandDefinition {
  public static let kind: CommandKind = "requestReport"
  public static let states: [any CommandState.Type] = [DeviceReport.self]
  public static let settlesSetBack = true

  public init() {}
  public init(bytes: [UInt8]) throws(BodyFault) {}

  public var bytes: [UInt8] { [] }

  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    .done(
      .report(
        DeviceReport(
          version: Version.software, enforcement: transaction.enforcement,
          apps: try transaction.apps(on: transaction.own), familySettings: try transaction.settings(),
          usageRecords: try transaction.usageRecords())))
  }

  public var summary: String { "report what it holds" }
}

extension CommandPayload {
  public static var requestReport: CommandPayload { CommandPayload(RequestReport()) }
}

extension CommandDraft {
  public static var requestReport: CommandDraft { CommandDraft(RequestReport(), for: RequestReport.self) }
}
