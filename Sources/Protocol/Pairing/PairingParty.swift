import LatchkeyCrypto
import LatchkeyModel

/// This device as a pairing machine sees it.
public struct PairingParty: Sendable {
  /// The key pair for signatures.
  public var identity: IdentityKeyPair
  /// The key pair for handshakes.
  public var link: LinkKeyPair
  /// The name of this device.
  public var name: DeviceName
  /// The role of this device.
  public var role: DeviceRole

  /// Creates a party.
  public init(identity: IdentityKeyPair, link: LinkKeyPair, name: DeviceName, role: DeviceRole) {
    self.identity = identity
    self.link = link
    self.name = name
    self.role = role
  }

  /// The public keys of this device.
  public var keys: DeviceKeys { DeviceKeys(identity: identity.publicKey, link: link.publicKey) }
}
