/// A difference between the state that a child's machine reports of a thing and the state that this parent's machine
/// set.
///
/// The report is shown, but never stored as a rule.
///
/// Spec: Protocol/06-messages.md §4.
public struct Discrepancy: Hashable, Sendable, Codable {
  /// The application; `nil` for the family's rules.
  public var appID: AppID?
  /// The application's name on this machine; `nil` for one without rules here, and for the family's rules.
  public var displayName: String?
  /// The command that the report answers.
  public var commandID: CommandID
  /// The state that the child's machine reports; `nil` if it reports none.
  public var state: StateInForce?
  /// The reason why the command was not executed, in one sentence.
  public var reason: String?
  /// A Boolean value that indicates whether the state was set more than a day ahead of this machine's clock.
  public var isFarAhead: Bool
  /// The time of the report in Unix milliseconds by this machine's wall clock.
  public var at: Int64

  /// Creates a discrepancy.
  public init(
    appID: AppID?, displayName: String?, commandID: CommandID, state: StateInForce?, reason: String?,
    isFarAhead: Bool = false, at: Int64
  ) {
    self.appID = appID
    self.displayName = displayName
    self.commandID = commandID
    self.state = state
    self.reason = reason
    self.isFarAhead = isFarAhead
    self.at = at
  }

  /// A Boolean value that indicates whether the child holds rules for an application that has none here.
  public var isUnknownHere: Bool { appID != nil && displayName == nil }

  /// What it is about, as people call it.
  public var subject: String { displayName ?? appID?.text ?? "the family's rules" }
}
