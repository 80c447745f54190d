/// The state of a peer in the database that decides whether a session may be opened with it, and
/// with which keys.
///
/// Spec: Protocol/03-pairing.md §5, Protocol/04-session.md §9 and §10, Protocol/06-messages.md §7.
public struct PeerStanding: Hashable, Sendable {
  /// The state of a peer.
  public enum State: Int64, Sendable, Hashable {
    /// Being paired for the first time.
    ///
    /// The other side has `Limits.pairingCommitMilliseconds` to complete the pairing.
    case pending = 1
    case active = 2
    /// Removed here and not told yet.
    ///
    /// It may open a session only to learn this.
    case removedUntold = 3
    /// Removed, and told or taken to know.
    case removed = 4
  }

  public var state: State
  /// The pairwise keys; zeros if there are none.
  public var keys: PairwiseKeys
  /// The key of a pairing that only one side has completed so far, 32 bytes.
  public var pendingKey: [UInt8]?
  /// A Boolean value that indicates whether two live machines were found to use its keys.
  public var isQuarantined: Bool
  /// The number of sessions in which its removal was sent.
  public var removalSessions: Int
  /// The number of calls since then that were answered with silence.
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

  /// The key with which calls are answered now; `nil` if no session may be opened.
  ///
  /// During a pairing it is the pending key, so that a session can complete the pairing.
  public var sessionKey: [UInt8]? {
    if let pendingKey { return pendingKey }
    switch state {
    case .active, .removedUntold: return keys.present
    case .pending, .removed: return nil
    }
  }

  /// The keys with which the peer may answer a call, most likely first; empty if no session may be
  /// opened.
  public var callingKeys: [[UInt8]] {
    let pending = pendingKey.map { [$0] } ?? []
    switch state {
    // While a new pairing is unconfirmed, the peer may have rolled it back.
    case .active, .removedUntold: return pending + keys.forCalling
    case .pending, .removed: return pending
    }
  }

  /// Returns whether a session's key dates from before a new pairing that is complete here.
  public func isOfThePast(_ key: [UInt8]) -> Bool {
    pendingKey == nil && state == .active && !callingKeys.contains(key)
  }
}
