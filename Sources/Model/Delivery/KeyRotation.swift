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
    self.generation = generation
    self.discoveryKey = discoveryKey
    self.pairwiseKey = pairwiseKey
    self.replaces = replaces
  }
}
