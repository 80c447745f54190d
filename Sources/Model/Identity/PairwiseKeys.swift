/// The pairwise keys that one side holds for a peer while one key replaces another.
///
/// In every state that the two sides can reach, whichever of their messages were lost, either side
/// can call the other. A pure value with keys of 32 bytes each.
///
/// Spec: Protocol/04-session.md §9, with the state diagram there.
public struct PairwiseKeys: Hashable, Sendable {
  /// The key in force, with which calls are answered.
  public private(set) var present: [UInt8]
  /// The key that was offered to the peer and not reported as stored yet.
  public private(set) var next: [UInt8]?
  /// The key that the peer's offer replaced, and which may still be in force at the peer.
  public private(set) var previous: [UInt8]?

  /// Creates a value from the keys in the store.
  public init(present: [UInt8], next: [UInt8]? = nil, previous: [UInt8]? = nil) {
    (self.present, self.next, self.previous) = (present, next, previous)
  }

  /// The keys with which to read a callee's answer, most likely first.
  public var forCalling: [[UInt8]] { [present] + [next, previous].compactMap { $0 } }

  /// Records that a new key was queued for the peer, durably.
  ///
  /// There is at most one at a time.
  public mutating func offered(_ key: [UInt8]) { next = key }

  /// Activates the new key after the peer reported it as stored and therefore answers with it.
  public mutating func stored() {
    guard let next else { return }
    present = next
    self.next = nil
  }

  /// Takes an offer from the peer.
  ///
  /// An offer that replaces another key than the present one is outdated and ignored.
  ///
  /// `replaced` is the ID of the replaced key, and `id` returns the ID of a key.
  public mutating func received(_ key: [UInt8], replacing replaced: [UInt8], id: ([UInt8]) -> [UInt8]) {
    guard id(present) == replaced else { return }
    previous = present
    present = key
  }

  /// Discards the previous key once the peer answers with the present one.
  public mutating func answers(with named: [UInt8], id: ([UInt8]) -> [UInt8]) {
    guard previous != nil, id(present) == named else { return }
    previous = nil
  }
}

/// A source of pairwise keys and their names, so that the store needs no cryptography of its own.
public protocol KeySource: Sendable {
  /// Returns a new random key of 32 bytes.
  func freshKey() -> [UInt8]

  /// Returns the 8 bytes that identify a pairwise key without revealing it (04 §9).
  func keyID(of key: [UInt8]) -> [UInt8]
}

/// New keys for a remaining device after another one was removed: the body of an item of kind 5.
///
/// Spec: Protocol/06-messages.md §8.
public struct KeyRotation: Hashable, Sendable {
  /// The generation of the household's discovery key; 0 is the first one.
  public var generation: Int64
  /// The household's discovery key of that generation, 32 bytes.
  public var discoveryKey: [UInt8]
  /// The new pairwise key of sender and receiver, 32 random bytes.
  public var pairwiseKey: [UInt8]
  /// The ID of the pairwise key that the new one replaces, 8 bytes.
  public var replaces: [UInt8]

  public init(generation: Int64, discoveryKey: [UInt8], pairwiseKey: [UInt8], replaces: [UInt8]) {
    (self.generation, self.discoveryKey) = (generation, discoveryKey)
    (self.pairwiseKey, self.replaces) = (pairwiseKey, replaces)
  }
}

/// The state of a peer in the database that decides whether a session may be opened with it, and
/// with which keys.
///
/// Spec: Protocol/03-pairing.md §5, Protocol/04-session.md §9 and §10, Protocol/06-messages.md §7.
public struct PeerStanding: Hashable, Sendable {
  public enum State: Int64, Sendable, Hashable {
    /// Being paired for the first time.
    ///
    /// The other side has `Limits.pairingCommitMilliseconds` to complete the pairing.
    case pending = 1
    case active = 2
    /// Removed here, and not notified yet.
    ///
    /// It may open a session only to learn this.
    case removedUntold = 3
    /// Removed, and notified or assumed to know.
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
    (self.state, self.keys, self.pendingKey, self.isQuarantined) = (state, keys, pendingKey, isQuarantined)
    (self.removalSessions, self.removalSilences) = (removalSessions, removalSilences)
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

  /// The keys with which the peer may answer a call, most likely first; empty for no session.
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
