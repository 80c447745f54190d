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
    self.present = present
    self.next = next
    self.previous = previous
  }

  /// The keys with which to read a callee's answer, most likely first.
  public var forCalling: [[UInt8]] { [present] + [next, previous].compactMap { $0 } }

  /// Records that a new key was queued for the peer, durably.
  ///
  /// There is at most one at a time.
  public mutating func offered(_ key: [UInt8]) {
    next = key
  }

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

  /// Returns the 8 bytes that identify a pairwise key of 32 bytes without revealing it.
  ///
  /// Spec: Protocol/04-session.md §9.
  func keyID(of key: [UInt8]) -> [UInt8]
}
