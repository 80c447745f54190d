import LatchkeyModel
import LatchkeyWire

/// The rules of an application that a child's machine holds.
public struct AppInForce: CommandState {
  /// The name of the kind on the wire and in the database: `app`.
  public static let kind: CommandKind = "app"

  /// The rules.
  public var configuration: AppConfiguration
  /// How far the machine enforces the rule; `nil` if it has not said so.
  public var enforcement: Enforcement?

  /// Creates the state of an application's rules, with how far the machine enforces them.
  public init(_ configuration: AppConfiguration, _ enforcement: Enforcement) {
    self.configuration = configuration
    self.enforcement = enforcement
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_AppState(wire: bytes)
      return AppInForce(try message.configuration.value(), try Enforcement(wire: message.enforcement))
    }
  }

  /// The wire form.
  public var bytes: [UInt8] {
    var message = Latchkey_V1_AppState()
    message.configuration = .init(configuration)
    message.enforcement = (enforcement ?? .recorded).wire
    return message.wireBytes
  }

  /// The key of the thing whose state this is.
  public var thing: String? { AppRules.key(configuration.appID) }
  /// The thing whose state this is, which a parent uses to take the state over.
  public var subject: (any HouseholdThing)? { AppRules(id: configuration.appID) }
  /// The time of the edit by the hybrid clock of the device that made it.
  public var setAt: HybridTimestamp? { configuration.modified }

  /// The state without its author and time, for comparisons.
  public var content: AppInForce {
    var copy = self
    copy.configuration.modified = .never
    return copy
  }

  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String { sentences("there") }
  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String { sentences("on \(machine)") }

  private func sentences(_ place: String) -> String {
    "\(configuration.displayName) is \(configuration.isBlocked ? "blocked" : "allowed") \(place): "
      + "\(configuration.unblockedSummary)." + (enforcement.map { " \($0.summary)" } ?? "")
  }

  /// The state as a phrase that follows “it holds”.
  public var claim: String { "\(configuration.summary) for \(configuration.appID)" }
}

/// The removal of an application's rules that holds on a child's machine.
public struct AppRemoved: CommandState {
  /// The name of the kind on the wire and in the database: `appRemoved`.
  public static let kind: CommandKind = "appRemoved"

  /// The application.
  public var appID: AppID
  /// The time of the removal, which orders it among other edits.
  public var modified: HybridTimestamp

  /// Creates the state of an application whose rules were removed.
  public init(_ appID: AppID, modified: HybridTimestamp) {
    self.appID = appID
    self.modified = modified
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let (id, modified) = try Latchkey_V1_RemoveApp(wire: bytes).value()
      return AppRemoved(id, modified: modified)
    }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_RemoveApp(appID, modified).wireBytes }
  /// The key of the thing whose state this is.
  public var thing: String? { AppRules.key(appID) }
  /// The thing whose state this is, which a parent uses to take the state over.
  public var subject: (any HouseholdThing)? { AppRules(id: appID) }
  /// The time of the edit by the hybrid clock of the device that made it.
  public var setAt: HybridTimestamp? { modified }
  /// A Boolean value that indicates whether the state says that nothing is set.
  public var isNothing: Bool { true }
  /// The state without its author and time, for comparisons.
  public var content: AppRemoved { AppRemoved(appID, modified: .never) }
  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String { "\(appID) has no rules there any more." }
  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String { "\(appID) has no rules on \(machine) any more." }
  /// The state as a phrase that follows “it holds”.
  public var claim: String { "no rules for \(appID)" }
}

extension StateInForce {
  /// Creates the report that an application's rules are in force.
  public static func app(_ configuration: AppConfiguration, _ enforcement: Enforcement) -> StateInForce {
    StateInForce(AppInForce(configuration, enforcement))
  }

  /// Creates the report that an application's rules were removed.
  public static func appRemoved(_ id: AppID, modified: HybridTimestamp) -> StateInForce {
    StateInForce(AppRemoved(id, modified: modified))
  }
}
