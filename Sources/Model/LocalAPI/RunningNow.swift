/// A session that runs on a child's machine, as the local API shows it.
public struct RunningNow: Hashable, Sendable, Codable {
  /// The ID that the session's record will have.
  public var recordID: RecordID
  /// The name of the child who uses it; `nil` for none.
  public var childName: DeviceName?
  public var deviceID: DeviceID
  public var deviceName: DeviceName
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
  /// The start, Unix milliseconds.
  public var since: Int64
  /// The time of use so far, as far as known, in milliseconds.
  public var activeMilliseconds: Int64
  /// A Boolean value that indicates whether the machine has not told of it for so long that it may
  /// have ended.
  public var isStale: Bool

  public init(
    recordID: RecordID, childName: DeviceName?, deviceID: DeviceID, deviceName: DeviceName, appID: AppID,
    displayName: String, category: AppCategory, since: Int64, activeMilliseconds: Int64, isStale: Bool
  ) {
    self.recordID = recordID
    self.childName = childName
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.since = since
    self.activeMilliseconds = activeMilliseconds
    self.isStale = isStale
  }
}
