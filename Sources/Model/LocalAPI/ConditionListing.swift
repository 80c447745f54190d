/// A condition of a child's machine, as `GET /v1/conditions` lists it.
///
/// Spec: Protocol/10-household.md §6.
public struct ConditionListing: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var deviceName: DeviceName
  /// A Boolean value that indicates whether it is the machine of the node that answers.
  public var isOwn: Bool
  /// When the machine was last heard, in Unix milliseconds; `nil` for the node's own.
  public var heardAt: Int64?
  public var condition: MachineCondition
  /// The log-in name of the account that it is about; `nil` if it is about the machine.
  public var accountName: String?

  public init(
    deviceID: DeviceID, deviceName: DeviceName, isOwn: Bool, heardAt: Int64? = nil, condition: MachineCondition,
    accountName: String? = nil
  ) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.isOwn = isOwn
    self.heardAt = heardAt
    self.condition = condition
    self.accountName = accountName
  }
}
