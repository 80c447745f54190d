import CSodium

/// A device's identity: an Ed25519 key pair for signing.
public struct IdentityKeyPair: Sendable {
  public static let seedByteCount = 32

  public let publicKey: IdentityPublicKey

  /// The seed from which the key pair is derived, 32 bytes; it belongs in the key file only.
  public let seed: SecretBytes

  private let signingKey: SecretBytes

  /// Restores an identity from its seed of 32 bytes; throws `KeyError.wrongLength`, the caller's
  /// fault.
  public init(seed: SecretBytes) throws(KeyError) {
    guard seed.count == Self.seedByteCount else { throw .wrongLength(expected: Self.seedByteCount, actual: seed.count) }
    self.init(checked: seed)
  }

  public static func generate() -> IdentityKeyPair { IdentityKeyPair(checked: .random(count: seedByteCount)) }

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

/// A device's public signing key: an Ed25519 public key of 32 bytes.
public struct IdentityPublicKey: Hashable, Sendable {
  public static let byteCount = 32
  public static let signatureByteCount = 64

  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Creates a public key from bytes received from its owner.
  ///
  /// Whether they are a point on the curve becomes known only when a signature is verified. Throws
  /// `KeyError.wrongLength`, the sender's fault, unless there are 32 bytes.
  public init(bytes: [UInt8]) throws(KeyError) {
    guard bytes.count == Self.byteCount else { throw .wrongLength(expected: Self.byteCount, actual: bytes.count) }
    self.bytes = bytes
  }

  /// Creates a public key from 32 bytes that were just computed from a seed.
  init(uncheckedBytes bytes: [UInt8]) { self.bytes = bytes }

  /// Returns whether the key's owner signed the message; a signature of a size other than 64 bytes
  /// is invalid.
  public func verify(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    return crypto_sign_ed25519_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
