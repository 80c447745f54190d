import CSodium

/// Encrypt and decrypt with one key and a counter: the CipherState of Noise with ChaCha20-Poly1305.
///
/// Spec: Noise revision 34, section 5.1.
struct NoiseCipher: Sendable {
  static let keyByteCount = 32
  /// How many bytes longer a ciphertext is than its plaintext.
  static let tagByteCount = 16
  /// The counter that is kept for `rekey` and never used for a message.
  static let reservedNonce = UInt64.max

  private var key: SecretBytes
  private(set) var nonce: UInt64

  /// Start with a key of 32 bytes.
  init(key: SecretBytes, nonce: UInt64 = 0) {
    precondition(key.count == Self.keyByteCount, "a cipher key is 32 bytes")
    self.key = key
    self.nonce = nonce
  }

  /// Encrypt into `output`, which has room for the plaintext and 16 bytes more, and count up.
  mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, additionalData: [UInt8], into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) {
    guard nonce != Self.reservedNonce else { throw .nonceExhausted }
    precondition(output.count >= plaintext.count + Self.tagByteCount, "there is no room for the ciphertext")
    Self.encrypt(plaintext, additionalData: additionalData, nonce: nonce, key: key, into: output)
    nonce += 1
  }

  /// Decrypt into `output`, which has room for the ciphertext less 16 bytes, and count up.
  ///
  /// - Throws: `NoiseError.authenticationFailed`; the counter then stays, and `output` holds nothing of the plaintext.
  mutating func open(
    _ ciphertext: UnsafeRawBufferPointer, additionalData: [UInt8], into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) {
    guard nonce != Self.reservedNonce else { throw .nonceExhausted }
    guard ciphertext.count >= Self.tagByteCount, let start = ciphertext.baseAddress else { throw .authenticationFailed }
    precondition(output.count >= ciphertext.count - Self.tagByteCount, "there is no room for the plaintext")
    let status = Self.withNonceBytes(nonce) { nonceBytes in
      key.withBytePointer { key in
        crypto_aead_chacha20poly1305_ietf_decrypt(
          output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil,
          start.assumingMemoryBound(to: UInt8.self), UInt64(ciphertext.count),
          additionalData, UInt64(additionalData.count), nonceBytes, key)
      }
    }
    guard status == 0 else { throw .authenticationFailed }
    nonce += 1
  }

  /// Replace the key by one derived from it, so that older messages stay safe when the new key leaks.
  ///
  /// The counter goes on. Spec: Noise revision 34, section 4.2 (`REKEY`).
  mutating func rekey() {
    let block = SecretBytes(count: Self.keyByteCount + Self.tagByteCount) { memory in
      let zeros = [UInt8](repeating: 0, count: Self.keyByteCount)
      zeros.withUnsafeBytes {
        Self.encrypt($0, additionalData: [], nonce: Self.reservedNonce, key: key, into: memory)
      }
    }
    key = block.slice(0..<Self.keyByteCount)
  }

  private static func encrypt(
    _ plaintext: UnsafeRawBufferPointer, additionalData: [UInt8], nonce: UInt64, key: SecretBytes,
    into output: UnsafeMutableRawBufferPointer
  ) {
    guard let start = output.baseAddress else { preconditionFailure("there is no room for the ciphertext") }
    withNonceBytes(nonce) { nonceBytes in
      _ = key.withBytePointer { key in
        crypto_aead_chacha20poly1305_ietf_encrypt(
          start.assumingMemoryBound(to: UInt8.self), nil,
          plaintext.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(plaintext.count),
          additionalData, UInt64(additionalData.count), nil, nonceBytes, key)
      }
    }
  }

  /// Lend the 12 bytes of a counter: four zeros, then the counter in little-endian.
  private static func withNonceBytes<R>(_ nonce: UInt64, _ body: (UnsafePointer<UInt8>) -> R) -> R {
    let words = (
      UInt32(0), UInt32(truncatingIfNeeded: nonce).littleEndian, UInt32(truncatingIfNeeded: nonce >> 32).littleEndian
    )
    return withUnsafePointer(to: words) { body(UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)) }
  }
}
