/// A usage record as a machine stores it.
public struct KeptUsage: Hashable, Sendable {
  /// The record.
  public var record: UsageRecord
  /// The reason why the record cannot be true, as found when it was stored; `nil` if it can.
  public var doubt: UsageDoubt?

  /// Creates a stored record.
  public init(record: UsageRecord, doubt: UsageDoubt?) {
    self.record = record
    self.doubt = doubt
  }
}
