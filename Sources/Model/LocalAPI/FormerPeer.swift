/// A device that was unpaired or forgotten, with what its queues never delivered.
public struct FormerPeer: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  /// Of each class with anything undelivered.
  public var queues: [QueueStatus]

  public init(deviceID: DeviceID, name: DeviceName, queues: [QueueStatus]) {
    self.deviceID = deviceID
    self.name = name
    self.queues = queues
  }
}
