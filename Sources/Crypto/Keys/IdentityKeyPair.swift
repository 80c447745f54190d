import CSodium

/// Hold a device's identity: an Ed25519 key pair that signs.
public struct IdentityKeyPair: Sendable {
  /// The size of a seed in bytes.
  public static let seedByteCount = 32

  /// The public half, to be given away.
  public let publicKey: IdentityPublicKey

  /// The seed that the pair grows from, 32 bytes, for the key file alone.
  public let seed: SecretBytes

  private let signingKey: SecretBytes

  /// Restore an identity from its seed.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(seed: SecretBytes) throws(KeyError) {
    guard seed.count == Self.seedByteCount else {
      throw .wrongLength(expected: Self.seedByteCount, actual: seed.count)
    }
    self.init(checked: seed)
  }

  /// Make a new identity from the system's randomness.
  public static func generate() -> IdentityKeyPair {
    IdentityKeyPair(checked: .random(count: seedByteCount))
  }

  private init(checked seed: SecretBytes) {
    Sodium.prepare()
    var publicBytes = [UInt8](repeating: 0, count: IdentityPublicKey.byteCount)
    signingKey = SecretBytes(
      count: crypto_sign_ed25519_secretkeybytes(),
      writing: { output in
        _ = seed.withBytePointer { crypto_sign_ed25519_seed_keypair(&publicBytes, output, $0) }
      })
    self.seed = seed
    publicKey = IdentityPublicKey(uncheckedBytes: publicBytes)
  }

  /// Sign a message.
  ///
  /// - Returns: the signature, 64 bytes; the same for the same message.
  public func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: IdentityPublicKey.signatureByteCount)
    _ = signingKey.withBytePointer {
      crypto_sign_ed25519_detached(&signature, nil, message, UInt64(message.count), $0)
    }
    return signature
  }
}
