/// The pairwise keys that one side holds for a peer while one takes the place of another. Pure values of 32 bytes each.
///
/// Every state that the two sides can be in, whatever of what they told each other was lost, lets either call the other.
/// Spec: Protocol/04-session.md §9, with the state diagram there.
public struct PairwiseKeys: Hashable, Sendable {
  /// In force: answers calls.
  public private(set) var present: [UInt8]
  /// Offered to the peer, which has not reported it stored.
  public private(set) var next: [UInt8]?
  /// Replaced by the peer's offer, and still in force at the peer as far as is known.
  public private(set) var previous: [UInt8]?

  /// Take up what the store holds.
  public init(present: [UInt8], next: [UInt8]? = nil, previous: [UInt8]? = nil) {
    self.present = present
    self.next = next
    self.previous = previous
  }

  /// The keys to read a callee's answer with, most likely first.
  public var forCalling: [[UInt8]] { [present] + [next, previous].compactMap { $0 } }

  /// A new key is queued for the peer, durably; at most one at a time.
  public mutating func offered(_ key: [UInt8]) {
    next = key
  }

  /// The peer has reported the offer stored: it answers with the new key, and so does this side from now on.
  public mutating func stored() {
    guard let next else { return }
    present = next
    self.next = nil
  }

  /// An offer of the peer's has come in. One that replaces another key than the present one is of the past.
  ///
  /// - Parameters:
  ///   - replaced: the ID of the key that it takes the place of.
  ///   - id: names a key.
  public mutating func received(_ key: [UInt8], replacing replaced: [UInt8], id: ([UInt8]) -> [UInt8]) {
    guard id(present) == replaced else { return }
    previous = present
    present = key
  }

  /// The peer names the key that it answers with: once that is the present one, the one before has no more use.
  public mutating func answers(with named: [UInt8], id: ([UInt8]) -> [UInt8]) {
    guard previous != nil, id(present) == named else { return }
    previous = nil
  }
}
