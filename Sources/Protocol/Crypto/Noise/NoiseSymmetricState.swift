/// The state that both sides of a handshake have in common: the SymmetricState of Noise.
///
/// Spec: Noise revision 34, section 5.2.
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
