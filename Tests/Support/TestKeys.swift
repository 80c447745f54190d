import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// Keys as a node makes them.
public struct TestKeys: KeySource {
  /// Creates a source of keys.
  public init() {}

  /// Returns a new random key of 32 bytes.
  public func freshKey() -> [UInt8] { SecureRandom.bytes(32) }
  /// Returns the name of a key.
  public func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}

/// Keys that a seed repeats.
///
/// No secret depends on them, so the first bytes of a key name it.
public final class SeededKeys: KeySource {
  private let random: Mutex<SeededRandom>

  /// Creates a source that returns the same keys for the same seed.
  public init(seed: UInt64) {
    random = Mutex(SeededRandom(seed: seed))
  }

  /// Begins a new row of keys, such as that of a transaction that may be run twice.
  public func begin(_ seed: UInt64) {
    random.withLock { $0 = SeededRandom(seed: seed) }
  }

  /// Returns a new key of 32 bytes.
  public func freshKey() -> [UInt8] { random.withLock { $0.bytes(32) } }
  /// Returns the ID of a key: its first 8 bytes.
  public func keyID(of key: [UInt8]) -> [UInt8] { Array(key.prefix(8)) }
}
