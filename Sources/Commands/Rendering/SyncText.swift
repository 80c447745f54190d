import LatchkeyModel

/// Sync states in words.
enum SyncText {
  /// A few words for a table.
  static func words(_ state: SyncState, now: Int64) -> String {
    switch state {
    case .idle: "nothing yet"
    case .connecting: "connecting"
    case .syncing(let done, let total): "exchanging, \(done) of \(total)"
    case .synced(let at): "up to date, \(ShownText.ago(at, now: now))"
    case .error: "waiting to try again"
    }
  }

  /// Returns the time of the next attempt to reach a device, in words.
  static func nextTry(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "It is called when it appears." }
    return milliseconds < 1_000 ? "It is tried again now." : "Next try in \(SpanText.of(milliseconds))."
  }

  /// One sentence for a line of its own.
  static func sentence(_ state: SyncState, now: Int64) -> String {
    switch state {
    case .error(let reason, let next): "\(ShownText.safe(reason)) \(nextTry(next))"
    default: words(state, now: now)
    }
  }

  static func line(of peer: PeerStatus, now: Int64) -> String {
    "\(ShownText.safe(peer.device.name.text)): \(sentence(peer.sync, now: now))"
  }
}
