import LatchkeyModel
import LatchkeyWire

/// A command that sets the rules of one application.
public struct SetApp: CommandDefinition {
  /// The type of the draft from which the command is made.
  public typealias Draft = AppChange

  /// The name of the kind on the wire and in the database: `setApp`.
  public static let kind: CommandKind = "setApp"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [AppInForce.self, AppRemoved.self]

  /// The complete rules, not only the changes to them.
  public var configuration: AppConfiguration

  /// Creates a command that sets an application's rules.
  public init(_ configuration: AppConfiguration) { self.configuration = configuration }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    configuration = try BodyFault.reading { () throws(WireError) in
      try Latchkey_V1_AppConfiguration(wire: bytes).value()
    }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_AppConfiguration(configuration).wireBytes }
  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { configuration.fault }
  /// The application that the command concerns; `nil` for none.
  public var appID: AppID? { configuration.appID }

  /// The state that the command sets.
  public var desired: DesiredState? {
    DesiredState(
      AppRules(id: configuration.appID), .app(configuration, .recorded), modified: configuration.modified)
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "set \(configuration.displayName): \(configuration.summary)" }

  /// Returns a sentence about the first invalid text of a draft; `nil` if all are valid.
  public static func textFault(in draft: AppChange) -> String? { draft.textFault }
  /// Returns a sentence about the first invalid value of a draft; `nil` if all are valid.
  public static func fault(in draft: AppChange) -> String? { draft.fault }

  /// Creates the command that a draft describes, with a new reading of the hybrid clock.
  public static func make(
    from draft: AppChange, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> SetApp {
    guard let id = AppID(draft.appID) else { throw BodyFault(AppID.fault(in: draft.appID)) }
    let present = try transaction.app(id, on: device)?.configuration
    return SetApp(draft.applied(to: present, id, at: try clock()))
  }
}

extension SetApp: Codable {
  /// Decodes the value from its JSON form.
  public init(from decoder: any Decoder) throws { configuration = try AppConfiguration(from: decoder) }
  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws { try configuration.encode(to: encoder) }
}

extension CommandPayload {
  /// Creates the payload of a command that sets an application's rules.
  public static func setApp(_ configuration: AppConfiguration) -> CommandPayload {
    CommandPayload(SetApp(configuration))
  }
}

extension CommandDraft {
  /// Creates the draft of a command that changes an application's rules.
  public static func setApp(_ change: AppChange) -> CommandDraft { CommandDraft(change, for: SetApp.self) }
}
