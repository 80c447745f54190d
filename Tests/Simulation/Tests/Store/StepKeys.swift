import LatchkeyModel
import LatchkeyTestSupport
import Synchronization

/// Keys that the store and its model draw alike: each step begins a row of its own, since a transaction may be run twice.
final class StepKeys: KeySource {
  private let random = Mutex(SeededRandom(seed: 0))

  func begin(_ step: UInt64) {
    random.withLock { $0 = SeededRandom(seed: step) }
  }

  func freshKey() -> [UInt8] { random.withLock { $0.bytes(32) } }
  func keyID(of key: [UInt8]) -> [UInt8] { Array(key.prefix(8)) }
}
