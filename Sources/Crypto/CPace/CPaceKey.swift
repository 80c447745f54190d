/// Hold what both sides have after the agreement, if their codes were the same.
public struct CPaceKey: Sendable {
  /// The intermediate session key, 64 bytes; put it through a key derivation before use.
  public let intermediateSessionKey: SecretBytes
  /// A public name of this agreement, 64 bytes, bound to all that both sides sent.
  public let sessionIDOutput: [UInt8]
}
