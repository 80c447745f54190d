import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// Keys as a node makes them.
public struct TestKeys: KeySource {
  public init() {}

  public func freshKey() -> [UInt8] { SecureRandom.bytes(32) }
  public func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
