import LatchkeyModel
import LatchkeyWire

/// A command that grants more time until the family's day ends: for everything, for a category or for an application.
///
/// Grants add up. In this version, a child's machine records and reports them, and nothing enforces them.
public struct GrantTime: CommandDefinition {
  /// The name of the kind on the wire and in the database: `grantTime`.
  public static let kind: CommandKind = "grantTime"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [TimeGranted.self]
  /// The number of grants that a machine keeps, newest first.
  static let kept = 64

  /// The additional time in minutes, 1 to 1,440.
  public var minutes: Int
  /// The application that the grant is for; `nil` if it is not for one application.
  public var app: AppID?
  /// The category that the grant is for; `nil` if it is not for one category.
  public var category: AppCategory?

  /// Creates a grant for an application, for a category or, without either, for everything.
  public init(minutes: Int, app: AppID? = nil, category: AppCategory? = nil) {
    self.minutes = minutes
    self.app = app
    self.category = category
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_GrantTime(wire: bytes).value() }
  }

  /// The wire form.
  public var bytes: [UInt8] { Latchkey_V1_GrantTime(self).wireBytes }
  /// The application that the command concerns; `nil` for none.
  public var appID: AppID? { app }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    if !(1...1_440).contains(minutes) { return "A grant is for 1 to 1,440 minutes: choose one of these." }
    return app == nil || category == nil ? nil : "A grant is for an application or a category: name one of the two."
  }

  /// Executes the command on a child's machine, in the transaction that also queues its receipt.
  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    let present = try transaction.value(Self.kind.rawValue, on: transaction.own) ?? []
    var list = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_GrantList(wire: present) }
    list.grants = (list.grants + [.init(self)]).suffix(Self.kept)
    try transaction.set(Self.kind.rawValue, on: transaction.own, to: list.wireBytes)
    return .done(StateInForce(TimeGranted(self, transaction.enforcement)))
  }

  /// Returns whether a state is the one that this command brings about.
  public func isAnswered(by state: StateInForce) -> Bool { state.as(TimeGranted.self)?.grant == self }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "grant " + terms }

  private var more: String {
    switch (minutes / 60, minutes % 60) {
    case (0, 1): "1 more minute"
    case (0, let minutes): "\(minutes) more minutes"
    case (1, 0): "1 more hour"
    case (let hours, 0): "\(hours) more hours"
    default: SpanText.minutes(minutes) + " more"
    }
  }

  var terms: String {
    more + " today"
      + (app.map { " for \($0)" } ?? category.map { " for \($0.rawValue) applications" } ?? "")
  }
}

/// A grant that a child's machine holds.
public struct TimeGranted: CommandState {
  /// The name of the kind on the wire and in the database: `timeGranted`.
  public static let kind: CommandKind = "timeGranted"

  /// The grant.
  public var grant: GrantTime
  /// How far the machine enforces the rule; `nil` if it has not said so.
  public var enforcement: Enforcement?

  /// Creates the state of a grant, with how far the machine enforces it.
  public init(_ grant: GrantTime, _ enforcement: Enforcement) {
    self.grant = grant
    self.enforcement = enforcement
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_TimeGranted(wire: bytes)
      return TimeGranted(try message.grant.value(), try Enforcement(wire: message.enforcement))
    }
  }

  /// The wire form.
  public var bytes: [UInt8] {
    var message = Latchkey_V1_TimeGranted()
    message.grant = .init(grant)
    message.enforcement = (enforcement ?? .recorded).wire
    return message.wireBytes
  }

  /// The state in whole sentences.
  public var summary: String { summary(on: "That machine") }

  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String {
    "\(machine) has \(grant.terms). "
      + (enforcement == .enforced
        ? "The grant is in force there." : "The grant is recorded there; this version does not act on it yet.")
  }

  /// The state as a phrase that follows “it holds”.
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
  /// Creates the draft of a grant.
  public static func grantTime(_ grant: GrantTime) -> CommandDraft { CommandDraft(grant, for: GrantTime.self) }
}
