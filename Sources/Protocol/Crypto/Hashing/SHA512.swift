import CSodium

public enum SHA512 {
  /// The size of a digest in bytes.
  public static let byteCount = 64

  /// Returns the digest of a whole message, 64 bytes.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    crypto_hash_sha512(&digest, message, UInt64(message.count))
    return digest
  }

  /// Returns the digest of a secret message as a secret of 64 bytes.
  public static func hash(_ message: SecretBytes) -> SecretBytes {
    SecretBytes(
      count: byteCount,
      writing: { output in
        _ = message.withBytePointer { crypto_hash_sha512(output, $0, UInt64(message.count)) }
      })
  }
}
