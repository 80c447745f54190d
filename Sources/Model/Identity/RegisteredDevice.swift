/// A device that is paired with this one, or was removed.
public struct RegisteredDevice: Hashable, Sendable, Codable {
  /// The state of a device: its key opens sessions (`active`), or no longer does (`removed`).
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    case active
    case removed
  }

  public var deviceID: DeviceID
  /// The name that people gave the device.
  public var name: DeviceName
  public var role: DeviceRole
  /// The name of the child whose machine it is, as the parent entered it; at most 64 bytes of
  /// UTF-8.
  public var childName: String?
  /// The Ed25519 key, 32 bytes as hexadecimal text.
  public var identityKey: String
  /// The X25519 key, 32 bytes as hexadecimal text.
  public var linkKey: String
  /// The time of the pairing by this device's wall clock in Unix milliseconds, for people and never
  /// for decisions.
  ///
  /// The same holds for the next two times.
  public var pairedAt: Int64
  /// The time at which the device was last connected; `nil` if it never was.
  public var lastSeenAt: Int64?
  /// The time at which no items waited in either direction; `nil` if there was none.
  public var lastSyncedAt: Int64?
  public var state: State

  public init(
    deviceID: DeviceID, name: DeviceName, role: DeviceRole, childName: String? = nil, identityKey: String,
    linkKey: String, pairedAt: Int64, lastSeenAt: Int64? = nil, lastSyncedAt: Int64? = nil, state: State = .active
  ) {
    self.deviceID = deviceID
    self.name = name
    self.role = role
    self.childName = childName
    self.identityKey = identityKey
    self.linkKey = linkKey
    self.pairedAt = pairedAt
    self.lastSeenAt = lastSeenAt
    self.lastSyncedAt = lastSyncedAt
    self.state = state
  }
}
