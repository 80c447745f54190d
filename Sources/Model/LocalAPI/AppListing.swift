/// One application's rules as `GET /v1/apps` lists them.
public struct AppListing: Hashable, Sendable, Codable {
  /// The machine the rules are for.
  public var device: DeviceID
  public var deviceName: DeviceName
  public var configuration: AppConfiguration
  /// The name of the machine that set the rules, which may be paired no more.
  public var setBy: DeviceName?
  /// On a parent's node: the child's own word, once its receipt is in; nil while the command is on its way.
  public var enforcement: Enforcement?
  /// On a parent's node: the status of the last command for this application.
  public var lastCommand: CommandStatus?
  /// On a parent's node: what the child's machine says that it holds instead; `nil` if both agree.
  public var discrepancy: Discrepancy?

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
