import LatchkeyModel
import LatchkeyWire

/// The applications and rules that a child's machine holds, in answer to `requestReport`.
public struct DeviceReport: CommandState {
  /// The name of the kind on the wire and in the database: `report`.
  public static let kind: CommandKind = "report"

  /// The software's version, such as `0.1.0`.
  public var version: String
  /// How far the machine enforces rules; `nil` if it has not said so.
  public var enforcement: Enforcement?
  /// The applications with rules, at most 32 KiB in all on the wire; `omittedApps` counts the others.
  public var apps: [AppConfiguration]
  /// The number of applications that did not fit the report.
  public var omittedApps: Int
  /// The family's rules that the machine holds; `nil` if it has none.
  public var familySettings: FamilySettings?
  /// The number of usage records that the machine holds.
  public var usageRecords: Int64

  /// Creates a report.
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

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_Report(wire: bytes).value() }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_Report(self).wireBytes }

  /// Returns the states of the things in a report, and removals for those in `keys` that a complete report omits.
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

  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String {
    let apps = apps.count + omittedApps
    return
      "Version \(version) runs there. It holds rules for \(apps) \(apps == 1 ? "application" : "applications") and "
      + "\(usageRecords) \(usageRecords == 1 ? "record" : "records") of use."
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
    // The whole receipt must fit the body of one item.
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
  /// Creates the state that a receipt carries in answer to a request for a report.
  public static func report(_ report: DeviceReport) -> StateInForce { StateInForce(report) }
}
