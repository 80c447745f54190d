import LatchkeyModel
import LatchkeyRules

/// What a session records of its application's rules at its start.
struct UseTerms: Hashable, Sendable {
  /// The name for people; `nil` if no parent has set one.
  var name: String?
  var category: AppCategory
  var milliPointsPerMinute: Int64

  /// Creates the terms of an application by a child's rules; an application without rules is
  /// neutral, with rate 0.
  init(_ app: AppID, _ rules: RuleSet) {
    let known = rules.app(app)
    let use = known.use ?? AppUse(category: .neutral)
    (name, category) = (known.name, use.category)
    milliPointsPerMinute = category == .neutral ? use.milliPointsPerMinute ?? 0 : rules.perMinute(use)
  }
}
