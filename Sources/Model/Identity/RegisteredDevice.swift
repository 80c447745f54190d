/// The role of a device in its household.
public enum DeviceRole: String, Codable, Sendable, Hashable, CaseIterable {
  /// A device that sends configuration and reads usage.
  case parent
  /// A device that carries out configuration and reports usage.
  case child
}

/// A device that is paired with this one, or was removed.
public struct RegisteredDevice: Hashable, Sendable, Codable {
  /// The state of a device: its key opens sessions (`active`), or no longer does (`removed`).
  public enum State: String, Codable, Sendable, Hashable, CaseIterable { case active, removed }

  public var deviceID: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  /// The child's name as the parent entered it, at most 64 bytes of UTF-8.
  public var childName: String?
  /// The Ed25519 key, 32 bytes as hexadecimal text.
  public var identityKey: String
  /// The X25519 key, 32 bytes as hexadecimal text.
  public var linkKey: String
  /// The time of the pairing in Unix milliseconds; like the next two, for people only.
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
    (self.deviceID, self.name, self.role, self.childName) = (deviceID, name, role, childName)
    (self.identityKey, self.linkKey, self.pairedAt, self.lastSeenAt) = (identityKey, linkKey, pairedAt, lastSeenAt)
    (self.lastSyncedAt, self.state) = (lastSyncedAt, state)
  }
}

/// A parent's machine that a child's machine is or was paired with, as the child's machine reports
/// it to each of its parents.
///
/// Spec: Protocol/06-messages.md §10.
public struct PairedParent: Hashable, Sendable, Codable, InventoryEntry {
  public var deviceID: DeviceID
  public var name: DeviceName
  /// The time of pairing in Unix milliseconds by the child's wall clock; for people only.
  public var pairedAt: Int64
  /// When the pairing ended, by the same clock; `nil` while it lasts.
  public var leftAt: Int64?

  public init(deviceID: DeviceID, name: DeviceName, pairedAt: Int64, leftAt: Int64? = nil) {
    (self.deviceID, self.name, self.pairedAt, self.leftAt) = (deviceID, name, pairedAt, leftAt)
  }

  package static let inventory = InventoryKind(name: "parents", most: Limits.toldParents, about: .member)

  package var fault: String? {
    HybridTimestamp.walls.contains(pairedAt) ? nil : "The pairing is at a time that no calendar has."
  }

  package var lines: [String] {
    [Hexadecimal.encode(deviceID.bytes), name.text, String(pairedAt), leftAt.map { String($0) } ?? ""]
  }

  package init?(lines: [String]) {
    guard lines.count == 4, let bytes = Hexadecimal.decode(lines[0]), let device = DeviceID(bytes: bytes),
      let pairedAt = Int64(lines[2])
    else { return nil }
    self.init(deviceID: device, name: DeviceName(sanitising: lines[1]), pairedAt: pairedAt, leftAt: Int64(lines[3]))
  }
}

/// Another parent of a child's machine, as a parent's node shows it.
public struct OtherParent: Hashable, Sendable, Codable {
  public var parent: PairedParent
  /// The time of the first report of it in Unix milliseconds by this machine's wall clock.
  public var toldAt: Int64
  /// A Boolean value that indicates whether it became known less than a day of running time ago.
  public var isNews: Bool

  public init(parent: PairedParent, toldAt: Int64, isNews: Bool) {
    (self.parent, self.toldAt, self.isNews) = (parent, toldAt, isNews)
  }
}
