/// The body of `POST /v1/devices/{device}/rename`, which renames a device or assigns it to a child.
public struct RenameRequest: Hashable, Sendable, Codable {
  /// The new name, 1 to 64 bytes of UTF-8; `nil` to keep it.
  public var name: String?
  /// The name of the child whose machine it is, 1 to 64 bytes of UTF-8; empty for no child, `nil` to keep it.
  public var childName: String?

  /// Creates a request.
  public init(name: String? = nil, childName: String? = nil) {
    self.name = name
    self.childName = childName
  }
}

/// A device that was renamed.
public struct RenameResult: Hashable, Sendable, Codable {
  /// The device's ID.
  public var deviceID: DeviceID
  /// The device's name after the change.
  public var name: DeviceName
  /// The name of the child whose machine it is; `nil` for no child.
  public var childName: String?
  /// A Boolean value that indicates whether the device is the node's own.
  public var isOwn: Bool
  /// The names of the devices that will hear of the change in their next session.
  public var untold: [DeviceName]
  /// The log-in names of the device's accounts that were a child's and are no child's any more, since it is not that
  /// child's device any more.
  public var unassigned: [String]

  /// Creates a result.
  public init(
    deviceID: DeviceID, name: DeviceName, childName: String?, isOwn: Bool, untold: [DeviceName],
    unassigned: [String] = []
  ) {
    self.deviceID = deviceID
    self.name = name
    self.childName = childName
    self.isOwn = isOwn
    self.untold = untold
    self.unassigned = unassigned
  }
}
