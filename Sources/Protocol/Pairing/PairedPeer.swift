import LatchkeyCrypto
import LatchkeyModel

/// What a pairing yields about the other device, to be made durable.
public struct PairedPeer: Sendable {
  public var keys: DeviceKeys
  public var name: DeviceName
  public var role: DeviceRole
  /// The PSK of all sessions between the two.
  public var pairwiseKey: PresharedKey
  /// On the joiner: the household's discovery key, 32 bytes, once the inviter has sent it.
  public var discoveryKey: [UInt8]?

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
