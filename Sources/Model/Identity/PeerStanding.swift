/// How a device stands with this one, as the database has it: whether a session may be opened with it, and with which keys.
///
/// Spec: Protocol/03-pairing.md §5, Protocol/04-session.md §9 and §10, Protocol/06-messages.md §7.
public struct PeerStanding: Hashable, Sendable {
  public enum State: Int64, Sendable, Hashable {
    /// Half paired for the first time: the other half has `Limits.pairingCommitMilliseconds`.
    case pending = 1
    case active = 2
    /// Removed here, and not told yet: it may open a session to hear just that.
    case removedUntold = 3
    /// Removed for good.
    case removed = 4
  }

  public var state: State
  /// Zeros while there are none.
  public var keys: PairwiseKeys
  /// 32 bytes while a pairing, the first one or a later one, waits for its other half.
  public var pendingKey: [UInt8]?
  /// Whether two live machines were seen to use its keys.
  public var isQuarantined: Bool
  /// Sessions in which its removal was sent.
  public var removalSessions: Int
  /// Calls since then that were met with silence.
  public var removalSilences: Int

  public init(
    state: State, keys: PairwiseKeys, pendingKey: [UInt8]? = nil, isQuarantined: Bool = false, removalSessions: Int = 0,
    removalSilences: Int = 0
  ) {
    self.state = state
    self.keys = keys
    self.pendingKey = pendingKey
    self.isQuarantined = isQuarantined
    self.removalSessions = removalSessions
    self.removalSilences = removalSilences
  }

  /// The key that calls are answered with now: a half-made pairing's, so that a session can complete it; nil when no session
  /// may be opened.
  public var sessionKey: [UInt8]? {
    if let pendingKey { return pendingKey }
    switch state {
    case .active, .removedUntold: return keys.present
    case .pending, .removed: return nil
    }
  }

  /// The keys that the peer may answer a call with, most likely first; none when no session may be opened.
  public var callingKeys: [[UInt8]] {
    let pending = pendingKey.map { [$0] } ?? []
    switch state {
    // While a new pairing is in doubt, the peer may have rolled it back.
    case .active, .removedUntold: return pending + keys.forCalling
    case .pending, .removed: return pending
    }
  }

  /// Whether a session's key is from before a new pairing that is final here.
  public func isOfThePast(_ key: [UInt8]) -> Bool {
    pendingKey == nil && state == .active && !callingKeys.contains(key)
  }
}
