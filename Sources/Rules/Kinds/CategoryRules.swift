import LatchkeyModel

extension RuleSet {
  /// The rules of one category.
  public struct Category: Hashable, Sendable {
    public var limit: DayLimits?
    /// The limit a week in minutes.
    public var weekly: Int64?
    /// The rate in milli-points per minute of applications without one of their own.
    public var rate: Int64?

    /// Creates rules that permit everything.
    public init() {}
  }
}

/// The kinds of rules of one category.
public enum CategoryRule {
  public static let limit = RuleKind(
    limit: "limit", \RuleSet.Category.limit, name: "# a day", removed: "no limit on # a day")
  public static let weekly = RuleKind(
    "weekly", \RuleSet.Category.weekly, .weekly, name: "# a week", removed: "no limit on # a week", effects: .closes)
  public static let rate = RuleKind(
    "rate", \RuleSet.Category.rate, .rate, name: "points for #", effects: .closes)
}

extension RuleSet.Category: RulePart {
  public static let place = "category/CATEGORY/"
  public static let rows = [CategoryRule.limit.row, CategoryRule.weekly.row, CategoryRule.rate.row]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.Category {
  public func key(of category: AppCategory) -> RuleKey { RuleKey(.category(category, row)) }
}
