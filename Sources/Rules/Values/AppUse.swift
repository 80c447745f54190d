import LatchkeyModel

/// The effect of an application's use: its category, and its rate if it has one of its own.
///
/// As text: `learning`, `reward` or `neutral`, and the rate in milli-points a minute: `reward 2000`.
///
/// Spec: Protocol/11-rules.md §1.
public struct AppUse: Hashable, Sendable {
  /// The category.
  public var category: AppCategory
  /// The rate in milli-points per minute, 0 to 1,000,000,000; `nil` for the category's.
  public var milliPointsPerMinute: Int64?

  /// Creates a use; a rate is limited to the valid range.
  public init(category: AppCategory, milliPointsPerMinute: Int64? = nil) {
    self.category = category
    let rates = Limits.milliPointsPerMinute
    self.milliPointsPerMinute = milliPointsPerMinute.map { min(max($0, rates.lowerBound), rates.upperBound) }
  }

  /// Creates a use from text.
  public init(typed text: String) throws(RuleFault) {
    let words = text.split(separator: " ")
    guard (1...2).contains(words.count), let category = AppCategory(rawValue: words[0].lowercased()) else {
      throw RuleFault("A category is learning, reward or neutral: give one of them.")
    }
    self.init(category: category)
    guard words.count == 2 else { return }
    guard let rate = RuleNumber.read(words[1]), Limits.milliPointsPerMinute.contains(rate) else {
      throw RuleFault("Points per minute must be between 0 and 1,000,000.")
    }
    milliPointsPerMinute = rate
  }

  /// The use as text.
  public var text: String { category.rawValue + (milliPointsPerMinute.map { " \($0)" } ?? "") }
}
