/// The derivation of keys from a secret with HKDF-SHA-256 (RFC 5869).
///
/// It is built on HMAC because the libsodium of Debian 12 has no such function.
public enum HKDF {
  /// The largest number of bytes that one derivation can return.
  public static let maximumByteCount = 255 * HMACSHA256.byteCount

  /// Derives a secret.
  ///
  /// - Parameters:
  ///   - salt: A public or secret value of any size. An empty one is equivalent to 32 zero bytes.
  ///   - inputKeyMaterial: The secret from which to derive, of any size.
  ///   - info: The purpose of the result, so that two purposes never share a key.
  ///   - count: The size of the result in bytes, at most `maximumByteCount`.
  /// - Returns: A secret of `count` bytes.
  public static func derive(
    salt: [UInt8], inputKeyMaterial: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes {
    salt.withUnsafeBytes { salt in derive(salt: salt, inputKeyMaterial: inputKeyMaterial, info: info, count: count) }
  }

  public static func derive(
    salt: SecretBytes, inputKeyMaterial: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes {
    salt.withUnsafeBytes { salt in derive(salt: salt, inputKeyMaterial: inputKeyMaterial, info: info, count: count) }
  }

  /// Derives bytes that need not stay secret, or that are held in arrays in any case.
  public static func derive(
    salt: [UInt8], inputKeyMaterial: [UInt8], info: [UInt8], count: Int
  ) -> [UInt8] {
    derive(salt: salt, inputKeyMaterial: SecretBytes(inputKeyMaterial), info: info, count: count)
      .withUnsafeBytes { [UInt8]($0) }
  }

  private static func derive(
    salt: UnsafeRawBufferPointer, inputKeyMaterial: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes {
    precondition(count >= 0 && count <= maximumByteCount, "HKDF yields at most \(maximumByteCount) bytes")
    let blockSize = HMACSHA256.byteCount
    let extracted = SecretBytes(
      count: blockSize,
      writing: { output in
        inputKeyMaterial.withUnsafeBytes { HMACSHA256.write(key: salt, pieces: ($0, .empty, .empty), into: output) }
      })
    let blockCount = (count + blockSize - 1) / blockSize
    let expanded = SecretBytes(
      count: blockCount * blockSize,
      writing: { output in
        for block in 0..<blockCount {
          let start = block * blockSize
          let previous =
            block == 0 ? .empty : UnsafeRawBufferPointer(start: output + (start - blockSize), count: blockSize)
          let counter = [UInt8(block + 1)]
          extracted.withUnsafeBytes { key in
            info.withUnsafeBytes { info in
              counter.withUnsafeBytes { counter in
                HMACSHA256.write(key: key, pieces: (previous, info, counter), into: output + start)
              }
            }
          }
        }
      })
    return count == expanded.count ? expanded : expanded.slice(0..<count)
  }
}
