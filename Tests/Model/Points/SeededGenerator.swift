import Foundation

/// A generator of random numbers that a seed reproduces: SplitMix64.
///
/// A test takes its seed from `LATCHKEY_SEED` or from the system, and states it in every expectation.
struct SeededGenerator: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init() {
    let given = ProcessInfo.processInfo.environment["LATCHKEY_SEED"].flatMap { UInt64($0) }
    seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    state = seed
    print("LATCHKEY_SEED=\(seed)")
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Cut a whole number into up to `count` parts, none negative, that add up to it.
  mutating func parts(of whole: Int64, count: Int) -> [Int64] {
    var edges = (1..<max(count, 1)).map { _ in Int64.random(in: 0...whole, using: &self) }.sorted()
    edges.append(whole)
    return zip(edges, [0] + edges).map { $0 - $1 }
  }
}
