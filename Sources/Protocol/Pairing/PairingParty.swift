import LatchkeyCrypto
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

  public var keys: DeviceKeys { DeviceKeys(identity: identity.publicKey, link: link.publicKey) }
}
