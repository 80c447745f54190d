/// A device that was unpaired or forgotten, with the items that its queues did not deliver.
public struct FormerPeer: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  /// The device's name at the time of its removal.
  public var name: DeviceName
  /// The queue of each class with undelivered items; empty if there are none.
  public var queues: [QueueStatus]

  public init(deviceID: DeviceID, name: DeviceName, queues: [QueueStatus]) {
    self.deviceID = deviceID
    self.name = name
    self.queues = queues
  }
}
