/// A child's machine as it is, in answer to `requestReport`.
public struct DeviceReport: Hashable, Sendable, Codable {
  /// The software's version, such as `0.1.0`.
  public var version: String
  /// How far rules are held to on that machine.
  public var enforcement: Enforcement
  /// Every application with rules there; at most 32 KiB in all on the wire, the rest is counted in `omitted`.
  public var apps: [AppConfiguration]
  public var omittedApps: Int
  public var familySettings: FamilySettings?
  /// Rows of usage the machine holds.
  public var usageRecords: Int64

  public init(
    version: String, enforcement: Enforcement, apps: [AppConfiguration], omittedApps: Int = 0,
    familySettings: FamilySettings?, usageRecords: Int64
  ) {
    self.version = version
    self.enforcement = enforcement
    self.apps = apps
    self.omittedApps = omittedApps
    self.familySettings = familySettings
    self.usageRecords = usageRecords
  }
}
