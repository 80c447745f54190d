import LatchkeyModel
import LatchkeyProtocol

/// A source of random keys, with the key names of the protocol.
struct SecureKeySource: KeySource {
  func freshKey() -> [UInt8] { SecureRandom.bytes(32) }

  func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
