import CSodium

/// One side's key pair of a link: X25519, static or ephemeral.
public struct LinkKeyPair: Sendable {
  public let publicKey: LinkPublicKey

  /// The secret scalar, 32 bytes.
  ///
  /// It belongs in the key file only.
  public let secret: SecretBytes

  /// Restores a key pair from its secret.
  ///
  /// - Parameter secret: The scalar, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == LinkPublicKey.byteCount else {
      throw .wrongLength(expected: LinkPublicKey.byteCount, actual: secret.count)
    }
    self.init(checked: secret)
  }

  public static func generate() -> LinkKeyPair {
    LinkKeyPair(checked: .random(count: LinkPublicKey.byteCount))
  }

  private init(checked secret: SecretBytes) {
    Sodium.prepare()
    self.secret = secret
    var bytes = [UInt8](repeating: 0, count: LinkPublicKey.byteCount)
    _ = secret.withBytePointer { crypto_scalarmult_curve25519_base(&bytes, $0) }
    publicKey = LinkPublicKey(uncheckedBytes: bytes)
  }

  /// Agrees on a secret with the owner of a public key (X25519).
  ///
  /// - Parameter remote: The other side's public key.
  /// - Returns: The shared secret, 32 bytes. Apply a key derivation before use.
  /// - Throws: `KeyError.lowOrderPoint` if the result is all zero, the other side's fault.
  public func diffieHellman(_ remote: LinkPublicKey) throws(KeyError) -> SecretBytes {
    var status: Int32 = -1
    let shared = SecretBytes(
      count: LinkPublicKey.byteCount,
      writing: { output in
        status = secret.withBytePointer { crypto_scalarmult_curve25519(output, $0, remote.bytes) }
      })
    // The library itself refuses points of small order. The second check does not depend on its
    // version.
    guard status == 0, shared.withBytePointer({ sodium_is_zero($0, shared.count) }) == 0 else { throw .lowOrderPoint }
    return shared
  }
}
