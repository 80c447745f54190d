import CSodium

/// A device's identity: an Ed25519 key pair for signing.
public struct IdentityKeyPair: Sendable {
  public static let seedByteCount = 32

  public let publicKey: IdentityPublicKey

  /// The seed from which the key pair is derived, 32 bytes.
  ///
  /// It belongs in the key file only.
  public let seed: SecretBytes

  private let signingKey: SecretBytes

  /// Restores an identity from its seed.
  ///
  /// - Parameter seed: The seed, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(seed: SecretBytes) throws(KeyError) {
    guard seed.count == Self.seedByteCount else {
      throw .wrongLength(expected: Self.seedByteCount, actual: seed.count)
    }
    self.init(checked: seed)
  }

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

  /// Returns the signature of a message, 64 bytes, which is always the same for the same message.
  public func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: IdentityPublicKey.signatureByteCount)
    _ = signingKey.withBytePointer {
      crypto_sign_ed25519_detached(&signature, nil, message, UInt64(message.count), $0)
    }
    return signature
  }
}
