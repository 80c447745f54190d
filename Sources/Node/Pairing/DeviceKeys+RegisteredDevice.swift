import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

extension DeviceKeys {
  /// Creates the public keys of a known device; `nil` if the stored bytes are not keys.
  init?(_ device: RegisteredDevice) {
    guard let identity = Hexadecimal.decode(device.identityKey), let link = Hexadecimal.decode(device.linkKey),
      let identityKey = try? IdentityPublicKey(bytes: identity), let linkKey = try? LinkPublicKey(bytes: link)
    else { return nil }
    self.init(identity: identityKey, link: linkKey)
  }
}
