/// What a parent asks of a child's machine.
public enum CommandPayload: Hashable, Sendable, Codable {
  /// Desired state of one application.
  case setApp(AppConfiguration)
  /// Forget an application's rules; `modified` is nil from a sender of before version 0.2.
  case removeApp(AppID, modified: HybridTimestamp? = nil)
  /// Desired state of the family's rules.
  case setFamilySettings(FamilySettings)
  /// Report the machine's applications and rules as they are.
  case requestReport
  /// Show a text; UTF-8, 1 to 4,096 bytes.
  case message(String)
  /// Leave the household.
  case unpair

  /// The kind's fixed word, as stored and shown.
  public var kind: CommandKind {
    switch self {
    case .setApp: .setApp
    case .removeApp: .removeApp
    case .setFamilySettings: .setFamilySettings
    case .requestReport: .requestReport
    case .message: .message
    case .unpair: .unpair
    }
  }

  /// What it is the desired state of: of two commands for one thing the newer one is all that counts. Nil for a one-shot.
  ///
  /// Spec: Protocol/05-delivery.md §10.
  public var supersedeKey: String? {
    switch self {
    case .setApp(let configuration): "app:" + configuration.appID.text
    case .removeApp(let id, _): "app:" + id.text
    case .setFamilySettings: "family"
    case .requestReport, .message, .unpair: nil
    }
  }

  /// Milliseconds of age after which it runs out if nobody said otherwise; nil for never.
  public var usualLifetime: Int64? { supersedeKey == nil ? Limits.oneShotMilliseconds : nil }

  /// Say what is wrong with the values, in one sentence; nil when nothing is.
  public var fault: String? {
    switch self {
    case .setApp(let configuration): configuration.fault
    case .setFamilySettings(let settings): settings.fault
    case .message(let text): TextRule.message.fault(in: text)
    case .removeApp(_, let modified?) where !HybridTimestamp.walls.contains(modified.wall):
      "The time of the removal is outside the calendar: set that machine's clock."
    case .removeApp, .requestReport, .unpair: nil
    }
  }
}
