/// What a child's machine says that it holds of one thing, where it is not what this parent's machine set.
///
/// It is the child's word: shown, and never stored as a rule. Spec: Protocol/06-messages.md §4.
public struct Discrepancy: Hashable, Sendable, Codable {
  /// The application; nil for the family's rules.
  public var appID: AppID?
  /// The name that the application has here; its ID when it has none.
  public var displayName: String?
  /// The command that the child answered so.
  public var commandID: CommandID
  /// What it says that it holds; nil when it does not say.
  public var state: StateInForce?
  /// Why it did not do what was asked, in one sentence.
  public var reason: String?
  /// A Boolean value that indicates whether the state claims to be set more than a day ahead of this machine's clock.
  public var isFarAhead: Bool
  /// Unix milliseconds by this machine's wall clock.
  public var at: Int64

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
}
