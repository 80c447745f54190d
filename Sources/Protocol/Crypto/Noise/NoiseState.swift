import CSodium

/// The state that both sides of a handshake have in common: the SymmetricState of Noise (Noise
/// revision 34, section 5.2).
struct NoiseSymmetricState: Sendable {
  /// The hash of all messages and known keys so far, 32 bytes.
  private(set) var handshakeHash: [UInt8]
  private var chainingKey: SecretBytes
  private var cipher: NoiseCipher?

  init(protocolName: [UInt8]) {
    if protocolName.count <= SHA256.byteCount {
      handshakeHash = protocolName + [UInt8](repeating: 0, count: SHA256.byteCount - protocolName.count)
    } else {
      handshakeHash = SHA256.hash(protocolName)
    }
    chainingKey = SecretBytes(handshakeHash)
  }

  /// A Boolean value that indicates whether the following data is encrypted.
  var hasKey: Bool { cipher != nil }

  mutating func mixHash(_ data: [UInt8]) {
    var hash = SHA256()
    hash.update(handshakeHash)
    hash.update(data)
    handshakeHash = hash.finalize()
  }

  mutating func mixKey(_ material: SecretBytes) {
    let keys = stretch(material, count: 2)
    chainingKey = keys[0]
    cipher = NoiseCipher(key: keys[1])
  }

  mutating func mixKeyAndHash(_ material: SecretBytes) {
    let keys = stretch(material, count: 3)
    chainingKey = keys[0]
    mixHash(keys[1].withUnsafeBytes { [UInt8]($0) })
    cipher = NoiseCipher(key: keys[2])
  }

  /// Encrypts the data if there is a key, and mixes the result into the hash.
  mutating func encryptAndHash(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard var cipher else {
      mixHash(plaintext)
      return plaintext
    }
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count + NoiseCipher.tagByteCount)
    let result = plaintext.withUnsafeBytes { plaintext in
      ciphertext.withUnsafeMutableBytes { output in
        Result { () throws(NoiseError) in
          try cipher.seal(plaintext, additionalData: handshakeHash, into: output)
        }
      }
    }
    try result.get()
    self.cipher = cipher
    mixHash(ciphertext)
    return ciphertext
  }

  /// Decrypts the data if there is a key, and mixes the received bytes into the hash.
  mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard var cipher else {
      mixHash(ciphertext)
      return ciphertext
    }
    guard ciphertext.count >= NoiseCipher.tagByteCount else { throw .authenticationFailed }
    var plaintext = [UInt8](repeating: 0, count: ciphertext.count - NoiseCipher.tagByteCount)
    let result = ciphertext.withUnsafeBytes { ciphertext in
      plaintext.withUnsafeMutableBytes { output in
        Result { () throws(NoiseError) in
          try cipher.open(ciphertext, additionalData: handshakeHash, into: output)
        }
      }
    }
    try result.get()
    self.cipher = cipher
    mixHash(ciphertext)
    return plaintext
  }

  func split() -> (initiator: NoiseCipher, responder: NoiseCipher) {
    let keys = stretch(SecretBytes([]), count: 2)
    return (NoiseCipher(key: keys[0]), NoiseCipher(key: keys[1]))
  }

  // The HKDF of Noise is that of RFC 5869 with the chaining key as salt and an empty info.
  private func stretch(_ material: SecretBytes, count: Int) -> [SecretBytes] {
    let size = NoiseCipher.keyByteCount
    let all = HKDF.derive(salt: chainingKey, inputKeyMaterial: material, info: [], count: count * size)
    return (0..<count).map { all.slice($0 * size..<($0 + 1) * size) }
  }
}

/// Encryption with one key and a counter: the CipherState of Noise with ChaCha20-Poly1305 (Noise
/// revision 34, section 5.1).
struct NoiseCipher: Sendable {
  fileprivate static let keyByteCount = 32
  /// The number of bytes that a ciphertext is longer than its plaintext.
  static let tagByteCount = 16
  /// The counter that is reserved for `rekey` and never used for a message.
  private static let reservedNonce = UInt64.max

  private var key: SecretBytes
  private(set) var nonce: UInt64

  /// Creates a cipher from a key of 32 bytes.
  init(key: SecretBytes, nonce: UInt64 = 0) {
    precondition(key.count == Self.keyByteCount, "a cipher key is 32 bytes")
    self.key = key
    self.nonce = nonce
  }

  /// Encrypts into `output`, which must have room for the plaintext and 16 more bytes, and
  /// increments the counter.
  mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, additionalData: [UInt8], into output: UnsafeMutableRawBufferPointer
  ) throws(NoiseError) {
    guard nonce != Self.reservedNonce else { throw .nonceExhausted }
    precondition(output.count >= plaintext.count + Self.tagByteCount, "there is no room for the ciphertext")
    Self.encrypt(plaintext, additionalData: additionalData, nonce: nonce, key: key, into: output)
    nonce += 1
  }

  /// Decrypts into `output` and increments the counter.
  ///
  /// `output` must have room for the ciphertext less 16 bytes. After `authenticationFailed`, the
  /// counter is unchanged, and `output` has none of the plaintext.
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

  /// Replaces the key by one derived from it, so that earlier messages stay safe if the new key
  /// leaks.
  ///
  /// The counter continues. Spec: Noise revision 34, section 4.2 (`REKEY`).
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

  /// Calls `body` with the 12 bytes of a counter: four zeros, then the counter in little-endian.
  private static func withNonceBytes<R>(_ nonce: UInt64, _ body: (UnsafePointer<UInt8>) -> R) -> R {
    let words = (
      UInt32(0), UInt32(truncatingIfNeeded: nonce).littleEndian, UInt32(truncatingIfNeeded: nonce >> 32).littleEndian
    )
    return withUnsafePointer(to: words) { body(UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)) }
  }
}
