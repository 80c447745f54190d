/// New keys for a device that stays, because another one was removed: the body of an item of kind 5.
///
/// Spec: Protocol/06-messages.md §8.
public struct KeyRotation: Hashable, Sendable {
  /// Counts the household's discovery keys; 0 is the one it began with.
  public var generation: Int64
  /// 32 bytes: the household's discovery key of that generation.
  public var discoveryKey: [UInt8]
  /// 32 bytes, fresh random: the new pairwise key of sender and receiver.
  public var pairwiseKey: [UInt8]
  /// 8 bytes: the ID of the pairwise key that the new one takes the place of.
  public var replaces: [UInt8]

  public init(generation: Int64, discoveryKey: [UInt8], pairwiseKey: [UInt8], replaces: [UInt8]) {
    self.generation = generation
    self.discoveryKey = discoveryKey
    self.pairwiseKey = pairwiseKey
    self.replaces = replaces
  }
}
