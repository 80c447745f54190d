/// The content of the first handshake message, from joiner to inviter.
///
/// Spec: Protocol/03-pairing.md §4.
public struct PairingOpening: Hashable, Sendable {
  /// The value that commits the joiner to its keys and random number before it sees the inviter's,
  /// 32 bytes.
  public var commitment: [UInt8]

  public init(commitment: [UInt8]) {
    self.commitment = commitment
  }
}

/// The identity of a side: the inviter's in the second handshake message, the joiner's in the
/// third.
public struct PairingIntroduction: Hashable, Sendable {
  /// The Ed25519 key, 32 bytes.
  public var identityKey: [UInt8]
  /// The device's name in UTF-8, which has to be sanitised before it is shown.
  public var name: String
  public var role: DeviceRole
  /// The random number for the pairwise key and the six digits, 32 bytes.
  public var random: [UInt8]
  /// The protocol versions that the sender supports.
  public var versions: ClosedRange<UInt32>

  public init(
    identityKey: [UInt8], name: String, role: DeviceRole, random: [UInt8],
    versions: ClosedRange<UInt32> = Version.protocolRange
  ) {
    self.identityKey = identityKey
    self.name = name
    self.role = role
    self.random = random
    self.versions = versions
  }
}

/// A message after the handshake.
///
/// Spec: Protocol/03-pairing.md §5.
public enum PairingStep: Hashable, Sendable {
  /// The identity key's signature of the handshake hash, 64 bytes.
  case proof(signature: [UInt8])
  /// The inviter has stored the joiner as pending; with the household's discovery key, 32 bytes.
  case commit(discoveryKey: [UInt8])
  /// The joiner has stored the inviter as pending.
  case commitAcknowledged
  /// The inviter has stored the joiner as active.
  case done
  /// The pairing ends here, and neither side keeps anything of it.
  case abort(PairingOutcome)
}
