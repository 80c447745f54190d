/// How far a node, or one peer's link, is with exchanging what waits.
public enum SyncState: Hashable, Sendable, Codable {
  /// No peers, or nothing tried yet.
  case idle
  case connecting
  case syncing(done: UInt64, total: UInt64)
  /// Nothing waits on either side; Unix milliseconds.
  case synced(at: Int64)
  /// The last try failed. `nextTryInMilliseconds` counts from the moment of the answer; without it no address of the device is
  /// known, and it is called as soon as it appears on the network.
  case error(reason: String, nextTryInMilliseconds: Int64?)
}
