import LatchkeyModel
import LatchkeyWire

/// A command that removes the rules of one application.
public struct RemoveApp: CommandDefinition {
  /// The draft of a removal, with the application's ID as a person wrote it.
  public struct Draft: Hashable, Sendable, Codable {
    /// The application's ID as the person wrote it.
    public var appID: String

    /// Creates a draft.
    public init(appID: String) { self.appID = appID }
  }

  /// The name of the kind on the wire and in the database: `removeApp`.
  public static let kind: CommandKind = "removeApp"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [AppInForce.self, AppRemoved.self]

  /// The application whose rules are removed.
  public var id: AppID
  /// The time of the removal, which orders it among other edits.
  public var modified: HybridTimestamp

  private enum CodingKeys: String, CodingKey {
    case id = "appID"
    case modified
  }

  /// Creates the removal of an application's rules.
  public init(_ id: AppID, modified: HybridTimestamp) {
    self.id = id
    self.modified = modified
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    (id, modified) = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_RemoveApp(wire: bytes).value() }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_RemoveApp(id, modified).wireBytes }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    HybridTimestamp.walls.contains(modified.wall)
      ? nil : "The time of the removal is outside the calendar: set that machine's clock."
  }

  /// The application that the command concerns; `nil` for none.
  public var appID: AppID? { id }
  /// The state that the command sets.
  public var desired: DesiredState? {
    DesiredState(AppRules(id: id), .appRemoved(id, modified: modified), modified: modified)
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "forget \(id)" }

  /// Returns a sentence about the first invalid text of a draft; `nil` if all are valid.
  public static func textFault(in draft: Draft) -> String? { TextRule.appID.fault(in: draft.appID) }
  /// Returns a sentence about the first invalid value of a draft; `nil` if all are valid.
  public static func fault(in draft: Draft) -> String? {
    AppChange.everything(draft.appID) ?? (AppID(draft.appID) == nil ? AppID.fault(in: draft.appID) : nil)
  }

  /// Creates the command that a draft describes, with a new reading of the hybrid clock.
  public static func make(
    from draft: Draft, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> RemoveApp {
    guard let id = AppID(draft.appID) else { throw BodyFault(AppID.fault(in: draft.appID)) }
    guard try transaction.app(id, on: device) != nil else {
      throw BodyFault("No application “\(id)” has rules there: `latchkey apps` lists those that have.")
    }
    return RemoveApp(id, modified: try clock())
  }
}

extension Latchkey_V1_RemoveApp {
  init(_ id: AppID, _ modified: HybridTimestamp) {
    self.init()
    appID = id.text
    self.modified = .init(modified)
  }

  func value() throws(WireError) -> (AppID, HybridTimestamp) {
    guard let id = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    return (id, try modified.value())
  }
}

extension CommandPayload {
  /// Creates the payload of a removal.
  public static func removeApp(_ id: AppID, modified: HybridTimestamp) -> CommandPayload {
    CommandPayload(RemoveApp(id, modified: modified))
  }
}

extension CommandDraft {
  /// Creates the draft of a removal.
  public static func removeApp(appID: String) -> CommandDraft {
    CommandDraft(RemoveApp.Draft(appID: appID), for: RemoveApp.self)
  }
}
