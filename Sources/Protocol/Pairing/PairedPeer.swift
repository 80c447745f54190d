import LatchkeyCrypto
import LatchkeyModel

/// The other device as a pairing establishes it, to be stored.
public struct PairedPeer: Sendable {
  /// The device's public keys.
  public var keys: DeviceKeys
  /// The device's name.
  public var name: DeviceName
  /// The device's role.
  public var role: DeviceRole
  /// The pre-shared key of all sessions between the two devices.
  public var pairwiseKey: PresharedKey
  /// The household's discovery key, 32 bytes; on the joiner only, once the inviter has sent it.
  public var discoveryKey: [UInt8]?

  /// Creates a peer.
  public init(
    keys: DeviceKeys, name: DeviceName, role: DeviceRole, pairwiseKey: PresharedKey, discoveryKey: [UInt8]? = nil
  ) {
    self.keys = keys
    self.name = name
    self.role = role
    self.pairwiseKey = pairwiseKey
    self.discoveryKey = discoveryKey
  }
}
