/// `POST /v1/devices/{device}/rename`: give a device another name, or say whose it is.
public struct RenameRequest: Hashable, Sendable, Codable {
  /// The new name, 1 to 64 bytes of UTF-8; `nil` to keep it.
  public var name: String?
  /// Whose machine it is, 1 to 64 bytes of UTF-8; empty for nobody's; `nil` to keep it.
  public var childName: String?

  public init(name: String? = nil, childName: String? = nil) {
    self.name = name
    self.childName = childName
  }
}

/// A device that was renamed.
public struct RenameResult: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var childName: String?
  /// A Boolean value that indicates whether it is the node's own device.
  public var isOwn: Bool
  /// The devices that hear of it when they are next in touch.
  public var untold: [DeviceName]

  public init(deviceID: DeviceID, name: DeviceName, childName: String?, isOwn: Bool, untold: [DeviceName]) {
    self.deviceID = deviceID
    self.name = name
    self.childName = childName
    self.isOwn = isOwn
    self.untold = untold
  }
}
