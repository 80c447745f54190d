import LatchkeyModel

extension Enforcement {
  /// A sentence that says how far a machine enforces a rule.
  public var summary: String {
    switch self {
    case .recorded: "The rule is recorded and shown there; this version does not close applications."
    case .enforced: "The rule is enforced there."
    }
  }
}
