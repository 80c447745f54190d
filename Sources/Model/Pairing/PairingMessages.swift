/// What travels in the first handshake message, joiner to inviter. Spec: Protocol/03-pairing.md §4.
public struct PairingOpening: Hashable, Sendable {
  /// 32 bytes: binds the joiner to its keys and random number before it sees the inviter's.
  public var commitment: [UInt8]

  public init(commitment: [UInt8]) {
    self.commitment = commitment
  }
}

/// Who a side is: in the second handshake message the inviter's, in the third the joiner's.
public struct PairingIntroduction: Hashable, Sendable {
  /// Ed25519, 32 bytes.
  public var identityKey: [UInt8]
  /// UTF-8; sanitised by whoever shows it.
  public var name: String
  public var role: DeviceRole
  /// 32 bytes, for the pairwise key and the six digits.
  public var random: [UInt8]
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

/// The messages after the handshake. Spec: Protocol/03-pairing.md §5.
public enum PairingStep: Hashable, Sendable {
  /// 64 bytes: the identity key's signature over the handshake hash.
  case proof(signature: [UInt8])
  /// The inviter has stored the joiner as pending; with the household's discovery key, 32 bytes.
  case commit(discoveryKey: [UInt8])
  /// The joiner has stored the inviter.
  case commitAcknowledged
  /// The inviter has stored the joiner for good.
  case done
  /// It ends here; nothing stays on either side.
  case abort(PairingOutcome)
}
