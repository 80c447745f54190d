import LatchkeyModel

/// What a peer's word that it has stored items brought about here.
public struct StoredResult: Hashable, Sendable {
  /// Whether keys were among them, which are in force now.
  public var hasNewKeys = false
  /// The stream that got the next keys, if others had become due meanwhile.
  public var change: OutboxChange?
  /// Why the rest was not forgotten, if the disk had room for a part alone: what is told here holds all the same.
  public var fault: StoreError?
}
