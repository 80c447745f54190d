import CSodium

/// One side's key pair of a link: X25519, static or ephemeral.
public struct LinkKeyPair: Sendable {
  public let publicKey: LinkPublicKey

  /// The secret scalar, 32 bytes; it belongs in the key file only.
  public let secret: SecretBytes

  /// Restores a key pair from its scalar of 32 bytes; throws `KeyError.wrongLength`, the caller's
  /// fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == LinkPublicKey.byteCount
    else { throw .wrongLength(expected: LinkPublicKey.byteCount, actual: secret.count) }
    self.init(checked: secret)
  }

  public static func generate() -> LinkKeyPair { LinkKeyPair(checked: .random(count: LinkPublicKey.byteCount)) }

  private init(checked secret: SecretBytes) {
    Sodium.prepare()
    self.secret = secret
    var bytes = [UInt8](repeating: 0, count: LinkPublicKey.byteCount)
    _ = secret.withBytePointer { crypto_scalarmult_curve25519_base(&bytes, $0) }
    publicKey = LinkPublicKey(uncheckedBytes: bytes)
  }

  /// Agrees on a secret of 32 bytes with the owner of a public key (X25519).
  ///
  /// Apply a key derivation before use. Throws `KeyError.lowOrderPoint` if the result is all zero,
  /// the other side's fault.
  public func diffieHellman(_ remote: LinkPublicKey) throws(KeyError) -> SecretBytes {
    var status: Int32 = -1
    let shared = SecretBytes(
      count: LinkPublicKey.byteCount,
      writing: { output in
        status = secret.withBytePointer { crypto_scalarmult_curve25519(output, $0, remote.bytes) }
      })
    // The library refuses points of small order itself; this does not depend on its version.
    guard status == 0, shared.withBytePointer({ sodium_is_zero($0, shared.count) }) == 0 else { throw .lowOrderPoint }
    return shared
  }
}

/// The public key of the other side of a link: an X25519 public key of 32 bytes.
///
/// Points of small order, with which any agreed secret is public, cannot be represented.
public struct LinkPublicKey: Hashable, Sendable {
  public static let byteCount = 32

  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Creates a public key from its owner's little-endian u-coordinate, 32 bytes; throws
  /// `KeyError.wrongLength` or `KeyError.lowOrderPoint`, both the sender's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    guard bytes.count == Self.byteCount else { throw .wrongLength(expected: Self.byteCount, actual: bytes.count) }
    guard !Self.isLowOrder(bytes) else { throw .lowOrderPoint }
    self.bytes = bytes
  }

  /// Creates a public key from 32 bytes without a check, for a key just computed from its secret
  /// and for tests.
  package init(uncheckedBytes bytes: [UInt8]) { self.bytes = bytes }

  /// Returns whether 32 bytes encode one of the seven points of small order, with either value of
  /// the unused top bit.
  private static func isLowOrder(_ bytes: [UInt8]) -> Bool {
    // A public key is not secret, so the comparison need not take constant time.
    var masked = bytes
    masked[31] &= 0x7f
    return lowOrderPoints.contains(masked)
  }

  // u = 0, 1, p-1, p, p+1, and the two points of order eight, with p = 2^255 - 19.
  private static let lowOrderPoints: Set<[UInt8]> = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    nearPrime(lowByte: 0xec),
    nearPrime(lowByte: 0xed),
    nearPrime(lowByte: 0xee),
    [
      0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
      0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
    ],
    [
      0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
      0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
    ],
  ]

  private static func nearPrime(lowByte: UInt8) -> [UInt8] { [lowByte] + [UInt8](repeating: 0xff, count: 30) + [0x7f] }
}

/// A key that both sides of a handshake already share: 32 secret bytes of full entropy.
public struct PresharedKey: Sendable, Equatable {
  public static let byteCount = 32

  /// The key itself, for a key derivation or for storage with other secrets.
  public let secret: SecretBytes

  /// Creates a key from a secret of 32 bytes; throws `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == Self.byteCount else { throw .wrongLength(expected: Self.byteCount, actual: secret.count) }
    self.secret = secret
  }

  /// Creates a key from an array of 32 bytes, which is not erased; throws `KeyError.wrongLength`,
  /// the caller's fault.
  public init(bytes: [UInt8]) throws(KeyError) { try self.init(secret: SecretBytes(bytes)) }

  private init(checked secret: SecretBytes) { self.secret = secret }

  public static func generate() -> PresharedKey { PresharedKey(checked: .random(count: byteCount)) }
}

/// The reasons why the bytes of a key are invalid.
public enum KeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A key or seed does not have the size of its type; sizes are in bytes.
  case wrongLength(expected: Int, actual: Int)
  /// A public key lies in a small subgroup, so that any secret agreed with it would be public.
  case lowOrderPoint

  public var description: String {
    switch self {
    case .wrongLength(let expected, let actual):
      "The key is \(actual) bytes long instead of \(expected); copy it again in full."
    case .lowOrderPoint: "The public key is one of the few that make every secret public; ask its owner for a new one."
    }
  }
}

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
