import CSodium

/// The agreement on a strong key by means of a short code that both sides know: CPace over
/// ristretto255 with SHA-512.
///
/// Each run allows an attacker to test one guess, and a recording allows none. The two sides have
/// different roles (initiator-responder). Spec: draft-irtf-cfrg-cpace, sections 6 and 7.
public struct CPace: Sendable {
  public static let shareByteCount = 32

  private static let domain = [UInt8]("CPaceRistretto255".utf8)
  private static let keyDomain = [UInt8]("CPaceRistretto255_ISK".utf8)
  private static let outputDomain = [UInt8]("CPaceSidOutput".utf8)
  /// The block size of SHA-512, in bytes.
  ///
  /// The code gets the first block for itself.
  private static let hashBlockByteCount = 128

  /// The point to send to the other side, 32 bytes.
  public let share: [UInt8]

  private let role: CPaceRole
  private let sessionID: [UInt8]
  private let associatedData: [UInt8]
  private let scalar: CPaceScalar

  /// Begins an agreement about a short code of any number of bytes.
  ///
  /// The identities and addresses of both parties (`channelIdentifier`) and the session ID, 16
  /// bytes or more and new for every run, are the same on both sides. The other side must receive
  /// `associatedData`, which is sent with the share, unaltered. The scalar is used for this run
  /// only. Throws `CPaceError.invalidScalar`, the caller's fault.
  public init(
    role: CPaceRole, password: SecretBytes, channelIdentifier: [UInt8], sessionID: [UInt8], associatedData: [UInt8],
    scalar: CPaceScalar
  ) throws(CPaceError) {
    (self.role, self.sessionID, self.associatedData, self.scalar) = (role, sessionID, associatedData, scalar)
    let generator = Self.generator(password: password, channelIdentifier: channelIdentifier, sessionID: sessionID)
    do {
      share = try Self.multiply(scalar, generator.withUnsafeBytes { [UInt8]($0) }).withUnsafeBytes { [UInt8]($0) }
    } catch { throw .invalidScalar }
  }

  /// Finishes the agreement with the other side's point, 32 bytes, and the data sent with it.
  ///
  /// The key is the same on both sides only if the codes were, which the caller has yet to verify.
  /// Throws `CPaceError.invalidShare`, the peer's fault; the run is over then.
  public func finish(remoteShare: [UInt8], remoteAssociatedData: [UInt8]) throws(CPaceError) -> CPaceKey {
    let shared = try Self.multiply(scalar, remoteShare)
    let mine = Self.concatenated([share, associatedData])
    let theirs = Self.concatenated([remoteShare, remoteAssociatedData])
    let transcript = role == .initiator ? mine + theirs : theirs + mine
    let material = SecretBytes(joining: [
      SecretBytes(Self.concatenated([Self.keyDomain, sessionID])),
      SecretBytes(Self.lengthPrefix(shared.count)), shared,
      SecretBytes(transcript),
    ])
    return CPaceKey(
      intermediateSessionKey: SHA512.hash(material), sessionIDOutput: SHA512.hash(Self.outputDomain + transcript))
  }

  /// Maps the code to the group element that the run multiplies, 32 bytes.
  package static func generator(password: SecretBytes, channelIdentifier: [UInt8], sessionID: [UInt8]) -> SecretBytes {
    let passwordPrefix = lengthPrefix(password.count)
    let used = domain.count + lengthPrefix(domain.count).count + password.count + passwordPrefix.count
    // The padding fills the hash's first block, so that the time does not depend on the code.
    let padding = [UInt8](repeating: 0, count: max(0, hashBlockByteCount - 1 - used))
    let material = SecretBytes(joining: [
      SecretBytes(concatenated([domain]) + passwordPrefix), password,
      SecretBytes(concatenated([padding, channelIdentifier, sessionID])),
    ])
    let hash = SHA512.hash(material)
    return SecretBytes(
      count: shareByteCount,
      writing: { output in
        _ = hash.withBytePointer { crypto_core_ristretto255_from_hash(output, $0) }
      })
  }

  /// Multiplies a point by a scalar, and throws if the result is the neutral element
  /// (`scalar_mult_vfy`).
  package static func multiply(_ scalar: CPaceScalar, _ point: [UInt8]) throws(CPaceError) -> SecretBytes {
    guard point.count == shareByteCount else { throw .invalidShare }
    var status: Int32 = -1
    let product = SecretBytes(
      count: shareByteCount,
      writing: { output in
        status = scalar.secret.withBytePointer { crypto_scalarmult_ristretto255(output, $0, point) }
      })
    guard status == 0, product.withBytePointer({ sodium_is_zero($0, product.count) }) == 0 else { throw .invalidShare }
    return product
  }

  /// Joins byte strings, each preceded by its length.
  private static func concatenated(_ parts: [[UInt8]]) -> [UInt8] { parts.flatMap { lengthPrefix($0.count) + $0 } }

  /// Returns a length in LEB128: seven bits in each byte, the lowest first.
  private static func lengthPrefix(_ count: Int) -> [UInt8] {
    var rest = count
    var bytes: [UInt8] = []
    while rest >= 128 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}

public enum CPaceRole: Sendable, Hashable {
  /// The side whose share is sent first.
  case initiator
  case responder
}

/// The result of an agreement, which is the same on both sides if their codes were.
public struct CPaceKey: Sendable {
  /// The intermediate session key, 64 bytes; apply a key derivation before use.
  public let intermediateSessionKey: SecretBytes
  /// A public identifier of this agreement, 64 bytes, that depends on everything both sides sent.
  public let sessionIDOutput: [UInt8]
}

/// The reasons why an agreement on a key by a short code fails.
///
/// A wrong code is not among them: it results in two different keys, which the handshake that uses
/// them detects.
public enum CPaceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The other side's share is not a point, or is one that would reveal the key: the peer's fault;
  /// stop here.
  case invalidShare
  /// A scalar is not 32 bytes long, or is zero: the caller's fault.
  case invalidScalar

  public var description: String {
    switch self {
    case .invalidShare: "The other side did not follow the pairing protocol; start the pairing again."
    case .invalidScalar: "The scalar is not 32 bytes that are not all zero; make one with generate()."
    }
  }
}

/// The secret of one side for one agreement: a scalar of the ristretto255 group, 32 bytes.
public struct CPaceScalar: Sendable {
  public static let byteCount = 32

  let secret: SecretBytes

  /// Creates a scalar from its little-endian encoding: 32 bytes, not all zero; throws
  /// `CPaceError.invalidScalar`, the caller's fault.
  public init(secret: SecretBytes) throws(CPaceError) {
    guard secret.count == Self.byteCount, secret.withBytePointer({ sodium_is_zero($0, Self.byteCount) }) == 0
    else { throw .invalidScalar }
    self.secret = secret
  }

  private init(checked secret: SecretBytes) { self.secret = secret }

  /// Returns a random scalar; every agreement needs a new one.
  public static func generate() -> CPaceScalar {
    Sodium.prepare()
    return CPaceScalar(checked: SecretBytes(count: byteCount, writing: { crypto_core_ristretto255_scalar_random($0) }))
  }
}
