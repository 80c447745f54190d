import LatchkeyModel
import LatchkeyWire

/// Grants more time until the family's day ends: for everything, for a category or for an application.
///
/// Grants add up, and each happens once. In this version a child's machine records and reports them; nothing acts on them.
public struct GrantTime: CommandDefinition {
  public static let kind: CommandKind = "grantTime"
  public static let states: [any CommandState.Type] = [TimeGranted.self]
  /// Grants that a machine keeps, the newest.
  static let kept = 64

  /// 1 to 1,440.
  public var minutes: Int
  /// The application that it is for; `nil` for none in particular.
  public var app: AppID?
  /// The category that it is for; `nil` for none in particular.
  public var category: AppCategory?

  public init(minutes: Int, app: AppID? = nil, category: AppCategory? = nil) {
    self.minutes = minutes
    self.app = app
    self.category = category
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_GrantTime(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_GrantTime(self).wireBytes }
  public var appID: AppID? { app }

  public var fault: String? {
    if !(1...1_440).contains(minutes) { return "A grant is for 1 to 1,440 minutes: choose one of these." }
    return app == nil || category == nil ? nil : "A grant is for an application or a category: name one of the two."
  }

  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    let present = try transaction.value(Self.kind.rawValue, on: transaction.own) ?? []
    var list = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_GrantList(wire: present) }
    list.grants = (list.grants + [.init(self)]).suffix(Self.kept)
    try transaction.set(Self.kind.rawValue, on: transaction.own, to: list.wireBytes)
    return .done(StateInForce(TimeGranted(self, transaction.enforcement)))
  }

  public func isAnswered(by state: StateInForce) -> Bool { state.as(TimeGranted.self)?.grant == self }

  public var summary: String { "grant " + terms }

  var terms: String {
    SpanText.minutes(minutes) + " more today"
      + (app.map { " for \($0)" } ?? category.map { " for \($0.rawValue) applications" } ?? "")
  }
}

/// A grant that a child's machine holds.
public struct TimeGranted: CommandState {
  public static let kind: CommandKind = "timeGranted"

  public var grant: GrantTime
  public var enforcement: Enforcement?

  public init(_ grant: GrantTime, _ enforcement: Enforcement) {
    self.grant = grant
    self.enforcement = enforcement
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_TimeGranted(wire: bytes)
      return TimeGranted(try message.grant.value(), try Enforcement(wire: message.enforcement))
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_TimeGranted()
    message.grant = .init(grant)
    message.enforcement = (enforcement ?? .recorded).wire
    return message.wireBytes
  }

  public var summary: String { "There is \(grant.terms) there. \((enforcement ?? .recorded).summary)" }
  public var claim: String { grant.terms }
}

extension Latchkey_V1_GrantTime {
  init(_ grant: GrantTime) {
    self.init()
    minutes = UInt32(clamping: grant.minutes)
    appID = grant.app?.text ?? ""
    category = grant.category?.wire ?? 0
  }

  func value() throws(WireError) -> GrantTime {
    let app = AppID(appID)
    guard appID.isEmpty || app != nil else { throw WireError("an application ID that is too long or has spaces") }
    let grant = GrantTime(
      minutes: Int(minutes), app: app, category: category == 0 ? nil : try AppCategory(wire: category))
    if let fault = grant.fault { throw WireError(fault) }
    return grant
  }
}

extension CommandDraft {
  public static func grantTime(_ grant: GrantTime) -> CommandDraft { CommandDraft(grant, for: GrantTime.self) }
}
