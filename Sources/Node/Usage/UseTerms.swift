import LatchkeyModel
import LatchkeyRules

/// What a session records at its start: for whom it counts, and its application's rules.
struct UseTerms: Hashable, Sendable {
  /// The name for people; `nil` if no parent has set one.
  var name: String?
  var category: AppCategory
  var milliPointsPerMinute: Int64
  /// The child who uses it; `nil` for none and for several.
  var child: ChildID?
  /// The children for whom it counts while several share the account and none has said who is
  /// there; else none.
  var sharers: [SessionSharer] = []

  /// Creates the terms of an application by who uses it.
  ///
  /// For several children it earns nothing and costs nothing: it is a reward if it is one for any
  /// of them, and neutral otherwise.
  init(_ app: AppID, _ user: AccountUser, _ household: Household) {
    guard case .together(let children) = user else {
      self.init(app, household.rules(for: user.onlyChild))
      child = user.onlyChild
      return
    }
    let each = children.map { (child: $0, terms: UseTerms(app, household.rules(for: $0))) }
    self.init(
      name: each.lazy.compactMap(\.terms.name).first,
      category: each.contains { $0.terms.category == .reward } ? .reward : .neutral, milliPointsPerMinute: 0,
      sharers: each.map { SessionSharer(child: $0.child, category: $0.terms.category) })
  }

  /// Has learning that may be forged count as neutral.
  mutating func earnNothing() {
    if category == .learning { (category, milliPointsPerMinute) = (.neutral, 0) }
  }

  private init(name: String?, category: AppCategory, milliPointsPerMinute: Int64, sharers: [SessionSharer] = []) {
    (self.name, self.category, self.milliPointsPerMinute) = (name, category, milliPointsPerMinute)
    self.sharers = sharers
  }

  /// Creates the terms of an application by a child's rules; an application without rules is
  /// neutral, with rate 0.
  init(_ app: AppID, _ rules: RuleSet) {
    let known = rules.app(app)
    let use = known.use ?? AppUse(category: .neutral)
    self.init(
      name: known.name, category: use.category,
      milliPointsPerMinute: use.category == .neutral ? use.milliPointsPerMinute ?? 0 : rules.perMinute(use))
  }
}
