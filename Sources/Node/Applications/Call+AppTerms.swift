import LatchkeyModel
import LatchkeyRules

extension Call {
  /// Returns what people call applications: as parents have named them, or as machines tell.
  func appTerms(_ household: Household) async throws -> RuleTerms {
    var names = try await installedNames(of: nil, household)
    for child in household.children {
      for (app, rules) in household.rules(for: child.id).apps where rules.name != nil { names[app] = rules.name }
    }
    return RuleTerms(names: names.mapValues { PrintableText.of($0) })
  }
}

extension RuleTerms {
  /// Returns the words for the application that a condition is about, without its whole ID where a
  /// part of that can be read; `nil` for a condition about anything else.
  func told(_ condition: MachineCondition) -> ConditionKind.AppWords? {
    guard condition.isOfApplication, let app = AppID(condition.detail) else { return nil }
    return ConditionKind.AppWords(name: names[app] ?? app.readable, argument: argument(app))
  }
}
