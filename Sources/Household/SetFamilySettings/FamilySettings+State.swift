import LatchkeyModel
import LatchkeyWire

/// The family's rules that a child's machine holds.
extension FamilySettings: CommandState {
  public static var kind: CommandKind { "familySettings" }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_FamilySettings(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_FamilySettings(self).wireBytes }
  public var thing: String? { FamilyRules.key }
  public var subject: (any HouseholdThing)? { FamilyRules() }
  public var setAt: HybridTimestamp? { modified }

  public var content: FamilySettings {
    var copy = self
    copy.modified = .never
    return copy
  }

  public var summary: String { "The family's rules are set there." }
  public func summary(on machine: String) -> String { "The family's rules are set on \(machine)." }
  public var claim: String { "these rules of the family: \(rules)" }

  /// The rules on one line.
  public var rules: String {
    var words = [
      "\(PointsText.counted(defaultMilliPointsPerMinute)) a minute unless a program has its own rate",
      "a point buys \(minutesPerPoint) \(minutesPerPoint == 1 ? "minute" : "minutes")",
      "sessions of at least \(SpanText.minutes(minimumSessionMinutes))",
    ]
    if let limit = dailyRewardLimitMinutes { words.append("at most \(SpanText.minutes(limit)) of reward a day") }
    if let limit = weeklyRewardLimitMinutes { words.append("at most \(SpanText.minutes(limit)) of reward a week") }
    words.append("days from \(dayStartHour):00 on in \(zone)")
    return words.joined(separator: ", ")
  }
}

extension StateInForce {
  public static func familySettings(_ settings: FamilySettings) -> StateInForce { StateInForce(settings) }
}

extension CommandPayload {
  public static func setFamilySettings(_ settings: FamilySettings) -> CommandPayload {
    CommandPayload(SetFamilySettings(settings))
  }
}

extension CommandDraft {
  public static func setFamilySettings(_ settings: FamilySettings) -> CommandDraft {
    CommandDraft(settings, for: SetFamilySettings.self)
  }
}
