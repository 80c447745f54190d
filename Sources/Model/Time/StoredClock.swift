/// What is stored of a child's household clock.
///
/// Spec: Protocol/11-rules.md §4.
public struct StoredClock: Hashable, Sendable {
  public var bootID: String
  public var anchor: BootInstant
  /// The time at the anchor in Unix milliseconds.
  public var time: Int64
  /// The day time at the anchor in Unix milliseconds.
  public var dayTime: Int64
  /// The latest time at which the clock was read.
  public var last: Int64
  public var reached: FamilyDay?

  public init(
    bootID: String, anchor: BootInstant, time: Int64, dayTime: Int64, last: Int64, reached: FamilyDay?
  ) {
    self.bootID = bootID
    self.anchor = anchor
    self.time = time
    self.dayTime = dayTime
    self.last = last
    self.reached = reached
  }
}
