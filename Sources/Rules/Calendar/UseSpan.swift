import LatchkeyModel

/// A stretch of use of one application on one of a child's machines.
public struct UseSpan: Hashable, Sendable {
  /// The application; `nil` if only the category is known.
  public var app: AppID?
  public var category: AppCategory
  /// The start in household time, Unix milliseconds.
  public var start: Int64
  public var milliseconds: Int64

  public init(app: AppID?, category: AppCategory, start: Int64, milliseconds: Int64) {
    self.app = app
    self.category = category
    self.start = start
    self.milliseconds = milliseconds
  }

  /// Returns the part before a time; `nil` if there is none.
  public func before(_ time: Int64) -> UseSpan? {
    guard start < time else { return nil }
    var part = self
    part.milliseconds = min(milliseconds, Moment.difference(time, start))
    return part
  }

  /// Creates the stretch of a session: from its start, as long as its active time.
  public init(_ record: UsageRecord) {
    self.init(
      app: record.appID, category: record.category, start: record.sessionStart,
      milliseconds: record.activeMilliseconds)
  }
}
