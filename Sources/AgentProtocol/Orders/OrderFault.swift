import LatchkeyModel

/// A part of orders that an agent does not carry out; the rest is in force (Protocol/13-agent.md
/// §6).
public struct OrderFault: Hashable, Sendable, FrameValue {
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case noAccount = 1
    /// The agent runs as another user and has no rights over this account.
    case otherAccount = 2
    case matchesEverything = 3
    /// The matcher would match a program that the system needs.
    case neededProgram = 4
    case badMatcher = 5
    /// The agent cannot pause programs here: they are closed instead.
    case cannotPause = 6
    case cannotCloseSession = 7
    /// The orders are larger than permitted.
    case tooLarge = 8
    /// The orders could not be saved; they are in force until the agent ends.
    case notKept = 9
    /// The machine has no program that fits the application's matchers.
    ///
    /// The application is recognized once it is installed.
    case noProgram = 10
    /// Another application has the same matcher; the stricter of the two counts.
    case sharedMatcher = 11

    /// The desktop does not lock the screen when asked to.
    case notLocked = 12

    /// A Boolean value that indicates whether the fault is only a hint, reported after the others.
    public var isNote: Bool { self == .noProgram || self == .sharedMatcher }
  }

  public var kind: Kind
  /// The account concerned; 0 for all.
  public var account: UInt32
  /// The application concerned; `nil` for none in particular.
  public var app: AppID?
  /// The faulty value, or empty.
  public var detail: String

  public init(_ kind: Kind, account: UInt32, app: AppID? = nil, detail: String = "") {
    (self.kind, self.account, self.app, self.detail) = (kind, account, app, detail)
  }

  /// The name of the condition that parents see (Protocol/10-household.md §6).
  public var condition: String {
    switch kind {
    case .noAccount: "rule-no-account"
    case .otherAccount: "rule-other-account"
    case .matchesEverything: "rule-matches-everything"
    case .neededProgram: "rule-needed-program"
    case .badMatcher: "rule-bad-matcher"
    case .cannotPause: "cannot-pause"
    case .cannotCloseSession: "cannot-close-sessions"
    case .tooLarge: "too-many-rules"
    case .notKept: "orders-not-kept"
    case .noProgram: "rule-unrecognized"
    case .sharedMatcher: "rule-shared-matcher"
    case .notLocked: "screen-not-locked"
    }
  }

  /// One sentence for people with the fault and the next step.
  public var sentence: String {
    let name = app?.text ?? "an application"
    return switch kind {
    case .noAccount:
      "This machine has no account with the number \(account): set again whose accounts they are with `latchkey accounts`."
    case .otherAccount:
      "Rules are enforced for the programs of the account that runs Latchkey, not for the account with the number "
        + "\(account): run `latchkey run` there as well."
    case .matchesEverything:
      "“\(detail)” would recognize too many programs as \(name): give the program's full path, its package or its SHA-256, or more "
        + "of its arguments."
    case .neededProgram:
      "“\(detail)” is a program that the system needs, and is not closed as \(name): recognize \(name) by another program."
    case .badMatcher:
      "“\(detail)” cannot recognize \(name): give 64 hexadecimal digits, a package's name, a Flatpak's ID, a snap's "
        + "name in small letters, a name without / and *, or a full path without *."
    case .cannotPause: "Programs cannot be paused here and are closed instead: choose closing."
    case .cannotCloseSession:
      "The child's sessions cannot be closed here, so programs are closed one by one: install the package, whose agent can "
        + "close sessions."
    case .tooLarge:
      "There are more rules than the agent takes: remove the rules of applications that are not used any more."
    case .notKept:
      "The newest rules could not be written to the disk and hold only until the agent is started again: make room on the "
        + "disk of its folder, or check it."
    case .noProgram:
      "“\(detail)” is not on this machine, so nothing is recognized as \(name): install it, or recognize \(name) otherwise."
    case .notLocked:
      "The screen of the account with the number \(account) does not lock when it is asked to: choose to end sessions instead "
        + "with `latchkey settings set --sessions close`, or use a desktop with a screen lock."
    case .sharedMatcher:
      "“\(detail)” recognizes \(name) and another application, so the stricter rules of both hold: give each a matcher of its own."
    }
  }

  func write(to body: FieldWriter) -> FieldWriter {
    body.byte(kind.rawValue).number32(account).app(app).text(detail, .reason)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    kind = try body.one(by: \.rawValue) { "fault \($0)" }
    account = try body.number32()
    app = try body.optionalApp()
    detail = try body.text(.reason)
  }
}
