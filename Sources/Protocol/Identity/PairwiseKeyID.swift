/// A name for a pairwise key that reveals nothing about it.
///
/// Spec: Protocol/04-session.md §9.
public enum PairwiseKeyID {
  /// The size of a name in bytes.
  public static let byteCount = 8

  /// Returns the name of a key of 32 bytes.
  public static func make(_ key: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(Array("latchkey pairwise key id v1".utf8) + key).prefix(byteCount))
  }
}
