import LatchkeyModel
import LatchkeyWire

/// The rules of an application that a child's machine holds.
public struct AppInForce: CommandState {
  public static let kind: CommandKind = "app"

  public var configuration: AppConfiguration
  public var enforcement: Enforcement?

  public init(_ configuration: AppConfiguration, _ enforcement: Enforcement) {
    self.configuration = configuration
    self.enforcement = enforcement
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_AppState(wire: bytes)
      return AppInForce(try message.configuration.value(), try Enforcement(wire: message.enforcement))
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_AppState()
    message.configuration = .init(configuration)
    message.enforcement = (enforcement ?? .recorded).wire
    return message.wireBytes
  }

  public var thing: String? { AppRules.key(configuration.appID) }
  public var subject: (any HouseholdThing)? { AppRules(id: configuration.appID) }
  public var setAt: HybridTimestamp? { configuration.modified }

  public var content: AppInForce {
    var copy = self
    copy.configuration.modified = .never
    return copy
  }

  public var summary: String { sentences("there") }
  public func summary(on machine: String) -> String { sentences("on \(machine)") }

  private func sentences(_ place: String) -> String {
    "\(configuration.displayName) is \(configuration.isBlocked ? "blocked" : "allowed") \(place): "
      + "\(configuration.unblockedSummary)." + (enforcement.map { " \($0.summary)" } ?? "")
  }

  public var claim: String { "\(configuration.summary) for \(configuration.appID)" }
}

/// The removal of an application's rules that holds on a child's machine.
public struct AppRemoved: CommandState {
  public static let kind: CommandKind = "appRemoved"

  public var appID: AppID
  public var modified: HybridTimestamp

  public init(_ appID: AppID, modified: HybridTimestamp) {
    self.appID = appID
    self.modified = modified
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let (id, modified) = try Latchkey_V1_RemoveApp(wire: bytes).value()
      return AppRemoved(id, modified: modified)
    }
  }

  public var bytes: [UInt8] { Latchkey_V1_RemoveApp(appID, modified).wireBytes }
  public var thing: String? { AppRules.key(appID) }
  public var subject: (any HouseholdThing)? { AppRules(id: appID) }
  public var setAt: HybridTimestamp? { modified }
  public var isNothing: Bool { true }
  public var content: AppRemoved { AppRemoved(appID, modified: .never) }
  public var summary: String { "\(appID) has no rules there any more." }
  public func summary(on machine: String) -> String { "\(appID) has no rules on \(machine) any more." }
  public var claim: String { "no rules for \(appID)" }
}

extension StateInForce {
  public static func app(_ configuration: AppConfiguration, _ enforcement: Enforcement) -> StateInForce {
    StateInForce(AppInForce(configuration, enforcement))
  }

  public static func appRemoved(_ id: AppID, modified: HybridTimestamp) -> StateInForce {
    StateInForce(AppRemoved(id, modified: modified))
  }
}
