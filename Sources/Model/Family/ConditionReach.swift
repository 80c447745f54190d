/// How much of what a parent's rules close a machine with a condition leaves open.
///
/// Receipts and explanations ask for it alike, so that they say the same of a machine.
///
/// Spec: Protocol/10-household.md §6.
public enum ConditionReach: Hashable, Sendable {
  /// Nothing.
  case nothing
  /// What its rules would close of the application that it is about.
  case application
  /// Everything in the account that it is about.
  case account
  /// Everything on the machine.
  case machine
}

extension MachineCondition {
  /// How much the machine leaves open.
  public var reach: ConditionReach { Self.reach(of: name) }

  /// A Boolean value that indicates whether its detail is the ID of an application.
  public var isOfApplication: Bool {
    reach == .application || ["rules-off", "rule-shared-matcher", "always-allowed", "app-blocked"].contains(name)
  }

  /// Returns how much a machine with a condition leaves open.
  public static func reach(of name: String) -> ConditionReach {
    switch name {
    case "agent-silent", "no-agent", "no-account", "too-many-rules": .machine
    case "rule-no-account", "rule-other-account": .account
    case "rule-unrecognized", "rule-own-entry", "rule-own-file", "rule-needed-program", "rule-matches-everything",
      "rule-bad-matcher":
      .application
    default: .nothing
    }
  }
}
