import LatchkeyModel
import LatchkeyWire

/// The family's rules that a child's machine holds.
extension FamilySettings: CommandState {
  /// The name of the kind on the wire and in the database: `familySettings`.
  public static var kind: CommandKind { "familySettings" }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_FamilySettings(wire: bytes).value() }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_FamilySettings(self).wireBytes }
  /// The key of the thing whose state this is.
  public var thing: String? { FamilyRules.key }
  /// The thing whose state this is, which a parent uses to take the state over.
  public var subject: (any HouseholdThing)? { FamilyRules() }
  /// The time of the edit by the hybrid clock of the device that made it.
  public var setAt: HybridTimestamp? { modified }

  /// The state without its author and time, for comparisons.
  public var content: FamilySettings {
    var copy = self
    copy.modified = .never
    return copy
  }

  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String { "The family's rules are set there." }
  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String {
    "The family's rules are set on \(machine). Other machines keep theirs."
  }
  /// The state as a phrase that follows “it holds”.
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
  /// Creates the report that the family's rules are in force.
  public static func familySettings(_ settings: FamilySettings) -> StateInForce { StateInForce(settings) }
}

extension CommandPayload {
  /// Creates the payload of a command that sets the family's rules.
  public static func setFamilySettings(_ settings: FamilySettings) -> CommandPayload {
    CommandPayload(SetFamilySettings(settings))
  }
}

extension CommandDraft {
  /// Creates the draft of a command that sets the family's rules.
  public static func setFamilySettings(_ settings: FamilySettings) -> CommandDraft {
    CommandDraft(settings, for: SetFamilySettings.self)
  }
}
