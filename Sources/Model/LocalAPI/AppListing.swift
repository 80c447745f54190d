/// One application's rules as `GET /v1/apps` lists them.
public struct AppListing: Hashable, Sendable, Codable {
  /// The machine that the rules are for.
  public var device: DeviceID
  /// The name of that machine.
  public var deviceName: DeviceName
  /// The rules.
  public var configuration: AppConfiguration
  /// The name of the machine that set the rules, which may no longer be paired.
  public var setBy: DeviceName?
  /// On a parent's node, how far the child's machine enforces the rules; `nil` until its receipt arrives.
  public var enforcement: Enforcement?
  /// On a parent's node, the status of the last command for this application.
  public var lastCommand: CommandStatus?
  /// On a parent's node, the different state that the child's machine reports; `nil` if both agree.
  public var discrepancy: Discrepancy?

  /// Creates a listing.
  public init(
    device: DeviceID, deviceName: DeviceName, configuration: AppConfiguration, enforcement: Enforcement?,
    lastCommand: CommandStatus?, discrepancy: Discrepancy? = nil, setBy: DeviceName? = nil
  ) {
    self.device = device
    self.deviceName = deviceName
    self.configuration = configuration
    self.enforcement = enforcement
    self.lastCommand = lastCommand
    self.discrepancy = discrepancy
    self.setBy = setBy
  }
}
