import LatchkeyModel

/// The result of a peer's report that it has stored items.
public struct StoredResult: Hashable, Sendable {
  /// A Boolean value that indicates whether there were keys among them, which now apply.
  public var hasNewKeys = false
  /// The stream with the next keys, if others became due in the meantime.
  public var change: OutboxChange?
  /// The fault that prevented the rest from being deleted, if the disk had space for a part only.
  ///
  /// The other results are valid nevertheless.
  public var fault: StoreError?
}
