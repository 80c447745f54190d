import LatchkeyModel
import LatchkeyWire

/// Sets the rules of one application.
public struct SetApp: CommandDefinition {
  public typealias Draft = AppChange

  public static let kind: CommandKind = "setApp"
  public static let states: [any CommandState.Type] = [AppInForce.self, AppRemoved.self]

  public var configuration: AppConfiguration

  public init(_ configuration: AppConfiguration) { self.configuration = configuration }

  public init(bytes: [UInt8]) throws(BodyFault) {
    configuration = try BodyFault.reading { () throws(WireError) in
      try Latchkey_V1_AppConfiguration(wire: bytes).value()
    }
  }

  public var bytes: [UInt8] { Latchkey_V1_AppConfiguration(configuration).wireBytes }
  public var fault: String? { configuration.fault }
  public var appID: AppID? { configuration.appID }

  public var desired: DesiredState? {
    DesiredState(
      AppRules(id: configuration.appID), .app(configuration, .recorded), modified: configuration.modified)
  }

  public var summary: String { "set \(configuration.displayName): \(configuration.summary)" }

  public static func textFault(in draft: AppChange) -> String? { draft.textFault }
  public static func fault(in draft: AppChange) -> String? { draft.fault }

  public static func make(
    from draft: AppChange, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> SetApp {
    guard let id = AppID(draft.appID) else { throw BodyFault(AppID.fault(in: draft.appID)) }
    let present = try transaction.app(id, on: device)?.configuration
    return SetApp(draft.applied(to: present, id, at: try clock()))
  }
}

extension SetApp: Codable {
  public init(from decoder: any Decoder) throws { configuration = try AppConfiguration(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try configuration.encode(to: encoder) }
}

extension CommandPayload {
  public static func setApp(_ configuration: AppConfiguration) -> CommandPayload {
    CommandPayload(SetApp(configuration))
  }
}

extension CommandDraft {
  public static func setApp(_ change: AppChange) -> CommandDraft { CommandDraft(change, for: SetApp.self) }
}
