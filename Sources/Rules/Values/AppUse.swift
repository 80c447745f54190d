import LatchkeyModel

/// The effect of an application's use: its category, and its rate if it has one of its own.
///
/// Spec: Protocol/11-rules.md §1.
public struct AppUse: Hashable, Sendable {
  public var category: AppCategory
  /// The rate in milli-points per minute, 0 to 1,000,000,000; `nil` for the category's.
  public var milliPointsPerMinute: Int64?

  /// Creates a use; a rate is limited to the valid range.
  public init(category: AppCategory, milliPointsPerMinute: Int64? = nil) {
    self.category = category
    let rates = Limits.milliPointsPerMinute
    self.milliPointsPerMinute = milliPointsPerMinute.map { min(max($0, rates.lowerBound), rates.upperBound) }
  }
}
