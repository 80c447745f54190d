import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

extension DeviceKeys {
  /// Take a known device's public keys; nil when what was kept is none.
  init?(_ device: RegisteredDevice) {
    guard let identity = Hexadecimal.decode(device.identityKey), let link = Hexadecimal.decode(device.linkKey),
      let identityKey = try? IdentityPublicKey(bytes: identity), let linkKey = try? LinkPublicKey(bytes: link)
    else { return nil }
    self.init(identity: identityKey, link: linkKey)
  }
}
