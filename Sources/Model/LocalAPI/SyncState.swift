/// How far a node, or one peer's link, is with exchanging what waits.
public enum SyncState: Hashable, Sendable, Codable {
  /// No peers, or nothing tried yet.
  case idle
  case connecting
  case syncing(done: UInt64, total: UInt64)
  /// Nothing waits on either side; Unix milliseconds.
  case synced(at: Int64)
  /// `nextTryInMilliseconds` counts from the moment of the answer.
  case error(reason: String, nextTryInMilliseconds: Int64)
}
