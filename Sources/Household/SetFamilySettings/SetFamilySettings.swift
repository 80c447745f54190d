import LatchkeyModel
import LatchkeyWire

/// Sets the rules of the whole family.
public struct SetFamilySettings: CommandDefinition {
  public typealias Draft = FamilySettings

  public static let kind: CommandKind = "setFamilySettings"
  public static let states: [any CommandState.Type] = [FamilySettings.self]

  public var settings: FamilySettings

  public init(_ settings: FamilySettings) { self.settings = settings }
  public init(bytes: [UInt8]) throws(BodyFault) { settings = try FamilySettings(bytes: bytes) }

  public var bytes: [UInt8] { settings.bytes }
  public var fault: String? { settings.fault }
  public var desired: DesiredState? {
    DesiredState(FamilyRules(), .familySettings(settings), modified: settings.modified)
  }

  public var summary: String { "set the family's rules" }

  public static func textFault(in draft: FamilySettings) -> String? { TextRule.zone.fault(in: draft.zone) }

  public static func fault(in draft: FamilySettings) -> String? {
    if let fault = draft.fault { return fault }
    do {
      _ = try DayBoundary(zone: draft.zone, dayStartHour: draft.dayStartHour)
      return nil
    } catch { return error.description }
  }

  public static func make(
    from draft: FamilySettings, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> SetFamilySettings {
    var settings = draft
    // Whatever time its maker had seen: it is set now.
    settings.modified = try clock()
    return SetFamilySettings(settings)
  }
}

extension SetFamilySettings: Codable {
  public init(from decoder: any Decoder) throws { settings = try FamilySettings(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try settings.encode(to: encoder) }
}

/// The family's rules, of which there are the same on every machine.
struct FamilyRules: HouseholdThing {
  static let key = "family"

  var key: String { Self.key }
  var isFamilyWide: Bool { true }

  func held(in transaction: inout some EffectTransaction) throws -> StateInForce? {
    try transaction.settings().map { .familySettings($0) }
  }

  func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws {
    guard let settings = state.as(FamilySettings.self) else { return }
    try transaction.save(settings, isNews: true)
  }

  func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState {
    ShownState(try held(in: &transaction))
  }

  func show(
    _ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction
  ) throws {
    guard let settings = shown.state?.as(FamilySettings.self) else { return try transaction.removeSettings() }
    try transaction.save(settings, isNews: isNews)
  }
}
