import LatchkeyModel

/// This device as a pairing machine sees it.
public struct PairingParty: Sendable {
  public var identity: IdentityKeyPair
  public var link: LinkKeyPair
  public var name: DeviceName
  public var role: DeviceRole

  public init(identity: IdentityKeyPair, link: LinkKeyPair, name: DeviceName, role: DeviceRole) {
    self.identity = identity
    self.link = link
    self.name = name
    self.role = role
  }

  /// The public keys of this device.
  public var keys: DeviceKeys { DeviceKeys(identity: identity.publicKey, link: link.publicKey) }
}

/// The random values of one attempt, which are never used again.
///
/// Spec: Protocol/03-pairing.md §4.
public struct PairingEntropy: Sendable {
  /// 32 bytes for the pairwise key and the digits.
  public var random: [UInt8]
  public var ephemeralKey: LinkKeyPair
  /// This side's secret in CPace; used with a typed code only.
  public var scalar: CPaceScalar
  /// The ID of the CPace run, 16 bytes.
  ///
  /// Only the joiner's is used.
  public var sessionID: [UInt8]

  public init(random: [UInt8], ephemeralKey: LinkKeyPair, scalar: CPaceScalar, sessionID: [UInt8]) {
    precondition(random.count == 32 && sessionID.count == CPaceOffer.sessionIDByteCount)
    self.random = random
    self.ephemeralKey = ephemeralKey
    self.scalar = scalar
    self.sessionID = sessionID
  }
}

/// The other device as a pairing establishes it, to be stored.
public struct PairedPeer: Sendable {
  public var keys: DeviceKeys
  public var name: DeviceName
  public var role: DeviceRole
  /// The pre-shared key of all sessions between the two devices.
  public var pairwiseKey: PresharedKey
  /// The household's discovery key, 32 bytes; on the joiner only, once the inviter has sent it.
  public var discoveryKey: [UInt8]?
}
