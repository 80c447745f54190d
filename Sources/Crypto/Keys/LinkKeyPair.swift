import CSodium

/// Hold one side of a link: an X25519 key pair, static or ephemeral.
public struct LinkKeyPair: Sendable {
  /// The public half, to be given away.
  public let publicKey: LinkPublicKey

  /// The secret scalar, 32 bytes, for the key file alone.
  public let secret: SecretBytes

  /// Restore a key pair from its secret.
  ///
  /// - Parameter secret: 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == LinkPublicKey.byteCount else {
      throw .wrongLength(expected: LinkPublicKey.byteCount, actual: secret.count)
    }
    self.init(checked: secret)
  }

  /// Make a new key pair from the system's randomness.
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

  /// Agree on a secret with the owner of a public key (X25519).
  ///
  /// - Returns: 32 bytes; put them through a key derivation before use.
  /// - Throws: `KeyError.lowOrderPoint` when the result is all zero, the other side's fault.
  public func diffieHellman(_ remote: LinkPublicKey) throws(KeyError) -> SecretBytes {
    var status: Int32 = -1
    let shared = SecretBytes(
      count: LinkPublicKey.byteCount,
      writing: { output in
        status = secret.withBytePointer { crypto_scalarmult_curve25519(output, $0, remote.bytes) }
      })
    // The library refuses small orders itself; the second look keeps the promise independent of its version.
    guard status == 0, shared.withBytePointer({ sodium_is_zero($0, shared.count) }) == 0 else { throw .lowOrderPoint }
    return shared
  }
}
