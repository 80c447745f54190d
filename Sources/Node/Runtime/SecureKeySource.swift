import LatchkeyModel
import LatchkeyProtocol

/// The source of random keys, and of the key IDs that the protocol defines.
struct SecureKeySource: KeySource {
  func freshKey() -> [UInt8] { SecureRandom.bytes(32) }

  func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
