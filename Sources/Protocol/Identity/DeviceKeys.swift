import LatchkeyModel

/// The two public keys of a device, and the values derived from them.
public struct DeviceKeys: Hashable, Sendable {
  public let identity: IdentityPublicKey
  /// The static key of Noise handshakes.
  public let link: LinkPublicKey

  public init(identity: IdentityPublicKey, link: LinkPublicKey) {
    self.identity = identity
    self.link = link
  }

  /// The ID of the device, which identifies these keys and no others.
  ///
  /// Spec: Protocol/01-overview.md §3.
  public var deviceID: DeviceID {
    let hash = SHA256.hash(Array("latchkey device id v1".utf8) + identity.bytes + link.bytes)
    guard let id = DeviceID(bytes: hash.prefix(DeviceID.size)) else { preconditionFailure("SHA-256 has 32 bytes") }
    return id
  }

  /// The 16 bytes of a pairing code that commit its inviter to these keys.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  public var codeCommitment: [UInt8] {
    Array(SHA256.hash(Array("latchkey code commitment v1".utf8) + identity.bytes + link.bytes).prefix(16))
  }
}
