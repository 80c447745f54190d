import LatchkeyModel
import LatchkeyTestSupport

/// Keys that a seed reproduces.
///
/// Unchecked, since a simulation and everything that belongs to it stays on one thread.
package final class SeededKeys: KeySource, @unchecked Sendable {
  private var random: SeededRandom

  package init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  package func freshKey() -> [UInt8] { random.bytes(32) }
  /// Nobody is to be kept from a key here, so that its first bytes name it.
  package func keyID(of key: [UInt8]) -> [UInt8] { Array(key.prefix(8)) }
}
