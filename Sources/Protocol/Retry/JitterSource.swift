/// A generator of jitter, which keeps many machines from acting at the same moment.
///
/// No secret depends on it. A pure value; the generator is SplitMix64 (Steele, Lea and Flood,
/// 2014).
public struct JitterSource: Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number in 0 to 1.
  public mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / Double(UInt64(1) << 53)
  }
}
