import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// Keys as a node makes them.
public struct TestKeys: KeySource {
  /// Creates a source of keys.
  public init() {}

  /// Returns a new random key of 32 bytes.
  public func freshKey() -> [UInt8] { SecureRandom.bytes(32) }
  /// Returns the name of a key.
  public func keyID(of key: [UInt8]) -> [UInt8] { PairwiseKeyID.make(key) }
}
