import LatchkeyModel

/// An event that an agent has seen or caused (Protocol/13-agent.md §5).
public struct AgentReport: Hashable, Sendable, FrameValue {
  /// The report's number within the run of the agent, from 1.
  public var number: UInt64
  public var at: BootInstant
  public var event: Event

  public init(number: UInt64, at: BootInstant, event: Event) {
    (self.number, self.at, self.event) = (number, at, event)
  }

  public enum Event: Hashable, Sendable {
    /// A program has been running since an instant.
    ///
    /// Here and in the next two cases, `activity` is the reading of the application's activity
    /// clock, in milliseconds.
    case began(ProgramUse, since: BootInstant, activity: Int64)
    /// A program is still running, for some milliseconds since it began.
    case active(ProgramUse, milliseconds: Int64, activity: Int64)
    /// A program has ended after some milliseconds.
    case ended(ProgramUse, milliseconds: Int64, activity: Int64)
    /// A program's time is over, and a step was taken.
    ///
    /// `matchers` recognize an unknown or other program, the most exact first; empty for others.
    case closed(ProgramUse, Deed, reason: String, matchers: [AppMatcher])
    /// A person must be warned that a program closes in some milliseconds.
    case warned(account: UInt32, app: AppID?, left: Int64)
    case inForce(orders: UInt64)
    /// A part of the orders is not carried out.
    case refused(orders: UInt64, OrderFault)
    /// Events were lost, so a full scan was made.
    case rescanned
    case clockSet(milliseconds: Int64)
    case slept(milliseconds: Int64)
    /// The orders file was damaged; the last intact orders, or none, are in force.
    case ordersDamaged(hasOlder: Bool)
    /// Reports were dropped because the node was silent for too long.
    case dropped(count: UInt64)
    case sessionsClosed(account: UInt32, areEnded: Bool, reason: String)
    case logInRefused(account: UInt32, reason: String)
    /// Log-ins were let through because the agent did not answer.
    case letThrough(count: UInt64)
    /// A person must be warned that the sessions of an account close in some milliseconds.
    case sessionsWarned(account: UInt32, left: Int64, reason: String)
    /// The agent can now see sessions, or read an input device, or no longer can.
    case senses(hasSessions: Bool, hasInput: Bool)
    /// Some processes of an account make every reader of their files wait, and are killed.
    case unreadable(account: UInt32, count: UInt64)
    /// How long a person was at a session in this run of the agent, in milliseconds.
    case screenTime(account: UInt32, milliseconds: Int64)

    public static let mostMatchers = 2

    /// The name of the condition that parents see for a day afterwards; `nil` for none
    /// (Protocol/10-household.md §6).
    public var condition: String? {
      switch self {
      case .rescanned: "events-lost"
      case .ordersDamaged: "orders-damaged"
      case .letThrough: "logins-let-through"
      case .unreadable: "program-unreadable"
      default: nil
      }
    }
  }

  /// The step that was taken against a program whose time is over.
  public enum Deed: UInt8, Hashable, Sendable, CaseIterable {
    case asked = 1
    case killed = 2
    case paused = 3
  }

  func write(to body: FieldWriter) -> FieldWriter {
    let body = body.number64(number).value(at)
    return switch event {
    case .began(let use, let since, let activity): body.byte(1).value(use).value(since).milliseconds(activity)
    case .active(let use, let milliseconds, let activity):
      body.byte(2).value(use).milliseconds(milliseconds).milliseconds(activity)
    case .ended(let use, let milliseconds, let activity):
      body.byte(3).value(use).milliseconds(milliseconds).milliseconds(activity)
    case .closed(let use, let deed, let reason, let matchers):
      body.byte(4).value(use).byte(deed.rawValue).text(reason, .reason)
        .list(matchers.prefix(Event.mostMatchers), isShort: true)
    case .warned(let account, let app, let left): body.byte(5).number32(account).app(app).milliseconds(left)
    case .inForce(let orders): body.byte(6).number64(orders)
    case .refused(let orders, let fault): body.byte(7).number64(orders).value(fault)
    case .rescanned: body.byte(8)
    case .clockSet(let milliseconds):
      body.byte(9).flag(milliseconds < 0).milliseconds(Int64(clamping: milliseconds.magnitude))
    case .slept(let milliseconds): body.byte(10).milliseconds(milliseconds)
    case .ordersDamaged(let hasOlder): body.byte(11).flag(hasOlder)
    case .dropped(let count): body.byte(12).number64(count)
    case .sessionsClosed(let account, let areEnded, let reason):
      body.byte(13).number32(account).flag(areEnded).text(reason, .reason)
    case .logInRefused(let account, let reason): body.byte(14).number32(account).text(reason, .reason)
    case .letThrough(let count): body.byte(15).number64(count)
    case .sessionsWarned(let account, let left, let reason):
      body.byte(16).number32(account).milliseconds(left).text(reason, .reason)
    case .senses(let hasSessions, let hasInput): body.byte(17).flag(hasSessions).flag(hasInput)
    case .unreadable(let account, let count): body.byte(18).number32(account).number64(count)
    case .screenTime(let account, let milliseconds): body.byte(19).number32(account).milliseconds(milliseconds)
    }
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    number = try body.number64()
    at = try BootInstant(from: &body)
    switch try body.byte() {
    case 1:
      event = .began(
        try ProgramUse(from: &body), since: try BootInstant(from: &body), activity: try body.milliseconds())
    case 2:
      event = .active(
        try ProgramUse(from: &body), milliseconds: try body.milliseconds(), activity: try body.milliseconds())
    case 3:
      event = .ended(
        try ProgramUse(from: &body), milliseconds: try body.milliseconds(), activity: try body.milliseconds())
    case 4:
      let use = try ProgramUse(from: &body)
      let deed: Deed = try body.one(by: \.rawValue) { "deed \($0)" }
      let reason = try body.text(.reason)
      let matchers: [AppMatcher] = try body.list("matchers", most: Event.mostMatchers, isShort: true)
      event = .closed(use, deed, reason: reason, matchers: matchers)
    case 5: event = .warned(account: try body.number32(), app: try body.optionalApp(), left: try body.milliseconds())
    case 6: event = .inForce(orders: try body.number64())
    case 7: event = .refused(orders: try body.number64(), try OrderFault(from: &body))
    case 8: event = .rescanned
    case 9:
      let isBack = try body.flag("whether the clock was set back")
      let milliseconds = try body.milliseconds()
      guard !isBack || milliseconds > 0 else { throw .value("a clock set back by nothing") }
      event = .clockSet(milliseconds: isBack ? -milliseconds : milliseconds)
    case 10: event = .slept(milliseconds: try body.milliseconds())
    case 11: event = .ordersDamaged(hasOlder: try body.flag("whether there is an older one"))
    case 12: event = .dropped(count: try body.number64())
    case 13:
      event = .sessionsClosed(
        account: try body.number32(), areEnded: try body.flag("whether sessions were ended"),
        reason: try body.text(.reason))
    case 14: event = .logInRefused(account: try body.number32(), reason: try body.text(.reason))
    case 15: event = .letThrough(count: try body.number64())
    case 16:
      event = .sessionsWarned(
        account: try body.number32(), left: try body.milliseconds(), reason: try body.text(.reason))
    case 17:
      event = .senses(
        hasSessions: try body.flag("whether it sees sessions"), hasInput: try body.flag("whether it sees input"))
    case 18: event = .unreadable(account: try body.number32(), count: try body.number64())
    case 19: event = .screenTime(account: try body.number32(), milliseconds: try body.milliseconds())
    case let kind: throw .value("report \(kind)")
    }
  }
}

/// A process that runs an application, or an unknown program.
public struct ProgramUse: Hashable, Sendable, FrameValue {
  public var account: UInt32
  /// The application; `nil` for an unknown program.
  public var app: AppID?
  /// A Boolean value that indicates whether only a weak matcher recognizes it: it earns nothing.
  public var isWeak: Bool
  public var process: ProcessIdentity
  /// The ID of the application under which the use is recorded.
  public var recorded: AppID { app ?? .unknownPrograms }

  public init(account: UInt32, app: AppID?, isWeak: Bool, process: ProcessIdentity) {
    (self.account, self.app, self.isWeak, self.process) = (account, app, isWeak, process)
  }

  func write(to body: FieldWriter) -> FieldWriter { body.number32(account).app(app).flag(isWeak).value(process) }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    account = try body.number32()
    app = try body.optionalApp()
    isWeak = try body.flag("whether it is recognized weakly")
    process = try ProcessIdentity(from: &body)
  }
}
