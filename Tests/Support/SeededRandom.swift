import Foundation

/// A generator of random numbers (SplitMix64) that are the same for the same seed.
///
/// Tests name `note` in their expectations; `LATCHKEY_TEST_SEED` then repeats a failed run.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Creates a generator with the seed in `LATCHKEY_TEST_SEED`, or with a random one.
  public init() {
    let given = ProcessInfo.processInfo.environment["LATCHKEY_TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
  }

  /// The setting that repeats this run, for the message of a failed expectation.
  public var note: String { "LATCHKEY_TEST_SEED=\(seed)" }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Returns `true` once in `count` times on average.
  public mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns an integer from 0 to below `count`.
  public mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
