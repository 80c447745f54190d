/// The result of an agreement, which is the same on both sides if their codes were.
public struct CPaceKey: Sendable {
  /// The intermediate session key, 64 bytes.
  ///
  /// Apply a key derivation before use.
  public let intermediateSessionKey: SecretBytes
  /// A public identifier of this agreement, 64 bytes, that depends on everything both sides sent.
  public let sessionIDOutput: [UInt8]
}
