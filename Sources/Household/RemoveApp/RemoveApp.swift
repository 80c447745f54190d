import LatchkeyModel
import LatchkeyWire

/// Removes the rules of one application.
public struct RemoveApp: CommandDefinition {
  /// The application whose rules a person wants removed.
  public struct Draft: Hashable, Sendable, Codable {
    public var appID: String

    public init(appID: String) { self.appID = appID }
  }

  public static let kind: CommandKind = "removeApp"
  public static let states: [any CommandState.Type] = [AppInForce.self, AppRemoved.self]

  public var id: AppID
  public var modified: HybridTimestamp

  private enum CodingKeys: String, CodingKey {
    case id = "appID"
    case modified
  }

  public init(_ id: AppID, modified: HybridTimestamp) {
    self.id = id
    self.modified = modified
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    (id, modified) = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_RemoveApp(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_RemoveApp(id, modified).wireBytes }

  public var fault: String? {
    HybridTimestamp.walls.contains(modified.wall)
      ? nil : "The time of the removal is outside the calendar: set that machine's clock."
  }

  public var appID: AppID? { id }
  public var desired: DesiredState? {
    DesiredState(AppRules(id: id), .appRemoved(id, modified: modified), modified: modified)
  }

  public var summary: String { "forget \(id)" }

  public static func textFault(in draft: Draft) -> String? { TextRule.appID.fault(in: draft.appID) }
  public static func fault(in draft: Draft) -> String? {
    AppID(draft.appID) == nil ? AppID.fault(in: draft.appID) : nil
  }

  public static func make(
    from draft: Draft, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> RemoveApp {
    guard let id = AppID(draft.appID) else { throw BodyFault(AppID.fault(in: draft.appID)) }
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
  public static func removeApp(_ id: AppID, modified: HybridTimestamp) -> CommandPayload {
    CommandPayload(RemoveApp(id, modified: modified))
  }
}

extension CommandDraft {
  public static func removeApp(appID: String) -> CommandDraft {
    CommandDraft(RemoveApp.Draft(appID: appID), for: RemoveApp.self)
  }
}
