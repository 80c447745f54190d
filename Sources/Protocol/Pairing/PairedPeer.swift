import LatchkeyCrypto
import LatchkeyModel

/// The other device as a pairing establishes it, to be stored.
public struct PairedPeer: Sendable {
  public var keys: DeviceKeys
  public var name: DeviceName
  public var role: DeviceRole
  /// The pre-shared key of all sessions between the two devices.
  public var pairwiseKey: PresharedKey
  /// The household's discovery key, 32 bytes; on the joiner only, once the inviter has sent it.
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
