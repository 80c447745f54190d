/// A record as a machine keeps it.
public struct KeptUsage: Hashable, Sendable {
  public var record: UsageRecord
  /// Why the record cannot be true, as found when it was taken up; `nil` if it can.
  public var doubt: UsageDoubt?

  public init(record: UsageRecord, doubt: UsageDoubt?) {
    self.record = record
    self.doubt = doubt
  }
}
