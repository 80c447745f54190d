import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// Keys of the system's random source, named as the protocol says.
struct SecureKeySource: KeySource {
  func freshKey() -> [UInt8] { SecureRandom.bytes(32) }

  func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
