import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// Keys as a node makes them.
public struct TestKeys: KeySource {
  public init() {}

  public func freshKey() -> [UInt8] { SecureRandom.bytes(32) }
  public func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}

/// A source that returns the same keys for the same seed.
///
/// No secret depends on them, so the first bytes of a key name it.
public final class SeededKeys: KeySource {
  private let random: Mutex<SeededRandom>

  public init(seed: UInt64) {
    random = Mutex(SeededRandom(seed: seed))
  }

  /// Begins a new sequence of keys, such as for a transaction that may run twice.
  public func begin(_ seed: UInt64) {
    random.withLock { $0 = SeededRandom(seed: seed) }
  }

  public func freshKey() -> [UInt8] { random.withLock { $0.bytes(32) } }
  /// Returns the ID of a key: its first 8 bytes.
  public func keyID(of key: [UInt8]) -> [UInt8] { Array(key.prefix(8)) }
}
