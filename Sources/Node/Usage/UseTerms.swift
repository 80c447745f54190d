import LatchkeyModel
import LatchkeyRules

/// What a session records of its application's rules at its start.
struct UseTerms: Hashable, Sendable {
  /// The name for people; `nil` if no parent has set one.
  var name: String?
  var category: AppCategory
  var milliPointsPerMinute: Int64

  /// Creates the terms of an application by a child's rules; an application without rules is neutral, with rate 0.
  ///
  /// `configuration` and `settings` are what was set for the machine; they count where the child's rules say nothing.
  init(_ app: AppID, _ rules: RuleSet, _ configuration: AppConfiguration?, _ settings: FamilySettings?) {
    let known = rules.app(app)
    name = known.name ?? configuration?.displayName
    if let use = known.use {
      category = use.category
      milliPointsPerMinute = use.category == .neutral ? 0 : rules.rate(of: use).milliPointsPerHour / 60
    } else {
      category = configuration?.category ?? .neutral
      milliPointsPerMinute =
        configuration?.milliPointsPerMinute ?? settings?.defaultMilliPointsPerMinute ?? 0
    }
  }
}
