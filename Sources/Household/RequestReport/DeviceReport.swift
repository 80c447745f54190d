import LatchkeyModel
import LatchkeyWire

/// A child's machine as it is, in answer to `requestReport`.
public struct DeviceReport: CommandState {
  public static let kind: CommandKind = "report"

  /// The software's version, such as `0.1.0`.
  public var version: String
  /// How far rules are held to on that machine.
  public var enforcement: Enforcement?
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

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_Report(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_Report(self).wireBytes }

  public func told(shown keys: [String]) -> [StateInForce] {
    var states = apps.map { StateInForce.app($0, enforcement ?? .recorded) }
    if let familySettings { states.append(.familySettings(familySettings)) }
    guard omittedApps == 0 else { return states }
    let held = Set(apps.map(\.appID))
    for id in keys.compactMap(AppRules.id) where !held.contains(id) {
      states.append(.appRemoved(id, modified: .never))
    }
    return states
  }

  public var summary: String {
    let apps = apps.count + omittedApps
    return
      "Version \(version) runs there. It holds rules for \(apps) \(apps == 1 ? "application" : "applications") and "
      + "\(usageRecords) \(usageRecords == 1 ? "record" : "records") of use. \((enforcement ?? .recorded).summary)"
  }
}

extension Latchkey_V1_Report {
  init(_ report: DeviceReport) {
    self.init()
    version = report.version
    enforcement = (report.enforcement ?? .recorded).wire
    usageRecords = report.usageRecords
    if let settings = report.familySettings { familySettings = .init(settings) }
    var omitted = report.omittedApps
    // The whole receipt has to fit an item's body.
    var bytes = 1_024
    for (index, app) in report.apps.enumerated() {
      let message = Latchkey_V1_AppConfiguration(app)
      bytes += message.wireBytes.count + 8
      guard bytes <= Limits.itemBodyBytes else {
        omitted += report.apps.count - index
        break
      }
      apps.append(message)
    }
    omittedApps = UInt32(clamping: omitted)
  }

  func value() throws(WireError) -> DeviceReport {
    if let fault = TextRule.software.fault(in: version) { throw WireError(fault) }
    guard usageRecords >= 0 else { throw WireError("a negative number of usage records") }
    var report = DeviceReport(
      version: version, enforcement: try Enforcement(wire: enforcement), apps: [],
      omittedApps: Int(omittedApps), familySettings: hasFamilySettings ? try familySettings.value() : nil,
      usageRecords: usageRecords)
    for app in apps { report.apps.append(try app.value()) }
    return report
  }
}

extension StateInForce {
  public static func report(_ report: DeviceReport) -> StateInForce { StateInForce(report) }
}
