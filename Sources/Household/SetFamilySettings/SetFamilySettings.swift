import LatchkeyModel
import LatchkeyWire

/// A command that sets the rules of the whole family.
public struct SetFamilySettings: CommandDefinition {
  /// The type of the draft from which the command is made.
  public typealias Draft = FamilySettings

  /// The name of the kind on the wire and in the database: `setFamilySettings`.
  public static let kind: CommandKind = "setFamilySettings"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [FamilySettings.self]

  /// The complete rules.
  public var settings: FamilySettings

  /// Creates a command that sets the family's rules.
  public init(_ settings: FamilySettings) { self.settings = settings }
  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) { settings = try FamilySettings(bytes: bytes) }

  /// The wire form.
  public var bytes: [UInt8] { settings.bytes }
  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { settings.fault }
  /// The state that the command sets.
  public var desired: DesiredState? {
    DesiredState(FamilyRules(), .familySettings(settings), modified: settings.modified)
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "set the family's rules" }

  /// Returns a sentence about the first invalid text of a draft; `nil` if all are valid.
  public static func textFault(in draft: FamilySettings) -> String? { TextRule.zone.fault(in: draft.zone) }

  /// Returns a sentence about the first invalid value of a draft; `nil` if all are valid.
  public static func fault(in draft: FamilySettings) -> String? {
    if let fault = draft.fault { return fault }
    do {
      _ = try DayBoundary(zone: draft.zone, dayStartHour: draft.dayStartHour)
      return nil
    } catch { return error.description }
  }

  /// Creates the command that a draft describes, with a new reading of the hybrid clock.
  public static func make(
    from draft: FamilySettings, for device: DeviceID, in transaction: inout some EffectTransaction, _ clock: ClockReader
  ) throws -> SetFamilySettings {
    var settings = draft
    // The time of the edit is the present, whatever reading the draft contains.
    settings.modified = try clock()
    return SetFamilySettings(settings)
  }
}

extension SetFamilySettings: Codable {
  /// Decodes the value from its JSON form.
  public init(from decoder: any Decoder) throws { settings = try FamilySettings(from: decoder) }
  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws { try settings.encode(to: encoder) }
}

/// The family's rules, which are the same on every machine.
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
