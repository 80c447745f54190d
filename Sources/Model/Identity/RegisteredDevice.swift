/// A device that was paired with this one, or was and has been removed.
public struct RegisteredDevice: Hashable, Sendable, Codable {
  /// Whether its key opens sessions (`active`) or never again does (`removed`).
  public enum State: String, Codable, Sendable, Hashable {
    case active
    case removed
  }

  public var deviceID: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  /// Whose machine it is, as the parent wrote it; at most 64 bytes of UTF-8.
  public var childName: String?
  /// Ed25519, 32 bytes as hexadecimal text.
  public var identityKey: String
  /// X25519, 32 bytes as hexadecimal text.
  public var linkKey: String
  /// Unix milliseconds by this device's wall clock; for people, never for decisions. So are the next two.
  public var pairedAt: Int64
  public var lastSeenAt: Int64?
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
