import LatchkeyModel

/// Something that a child asks the parents for.
///
/// Spec: Protocol/11-rules.md §9.
public struct ChildRequest: Hashable, Sendable {
  /// What a child can ask for.
  public enum Wish: Hashable, Sendable {
    case time(Grant)
    /// Permission for an application.
    case app(AppID)
  }

  /// The ID: 16 random bytes.
  public var id: CommandID
  /// The machine on which the child asked.
  public var device: DeviceID
  /// The household's time at which the child asked, in Unix milliseconds; for people.
  public var at: Int64
  public var wish: Wish
  /// The family day, with which the request expires.
  public var day: FamilyDay
  /// The child's reason, a *line* of at most 1,024 bytes; may be empty.
  public var reason: String

  public init(id: CommandID, device: DeviceID, at: Int64, wish: Wish, day: FamilyDay, reason: String) {
    self.id = id
    self.device = device
    self.at = at
    self.wish = wish
    self.day = day
    self.reason = reason
  }

  /// The request as text: `time` and a grant, or `app` and an ID, without the reason.
  public var wishText: String {
    switch wish {
    case .time(let grant): "time \(grant.text)"
    case .app(let app): "app \(app.text)"
    }
  }
}

extension ChildRequest.Wish {
  /// Creates a wish from its text; throws a fault that says what to ask for.
  public init(typed text: String) throws(RuleFault) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("time", 2): self = .time(try Grant(typed: parts[1]))
    case ("app", 2):
      guard let app = AppID(parts[1]) else { throw RuleFault("There is no application of that ID: name one.") }
      self = .app(app)
    default: throw RuleFault("A child asks for time or for an application: name one of them.")
    }
  }
}

/// A parent's answer to a request.
public struct RequestAnswer: Hashable, Sendable {
  /// What a parent can say.
  public enum Verdict: Hashable, Sendable {
    /// Yes, with a number of minutes, which may differ from what was asked; `nil` for an
    /// application.
    case approved(minutes: Int?)
    case denied
  }

  public var request: CommandID
  /// What the parent said.
  public var verdict: Verdict
  public var day: FamilyDay
  /// A word with it, a *line* of at most 1,024 bytes; may be empty.
  public var word: String
  public var modified: HybridTimestamp

  public init(request: CommandID, verdict: Verdict, day: FamilyDay, word: String, modified: HybridTimestamp) {
    self.request = request
    self.verdict = verdict
    self.day = day
    self.word = word
    self.modified = modified
  }

  /// The verdict as text: `yes`, `yes 20`, or `no`.
  public var verdictText: String {
    switch verdict {
    case .approved(nil): "yes"
    case .approved(let minutes?): "yes \(minutes)"
    case .denied: "no"
    }
  }
}

extension RequestAnswer.Verdict {
  /// Creates a verdict from its text; throws a fault that says what to answer.
  public init(typed text: String) throws(RuleFault) {
    switch text {
    case "yes": self = .approved(minutes: nil)
    case "no": self = .denied
    default:
      guard text.hasPrefix("yes "), let minutes = RuleNumber.read(text.dropFirst(4)), (1...1_440).contains(minutes)
      else {
        throw RuleFault("An answer is no, yes, or yes with 1 to 1,440 minutes: give one of them.")
      }
      self = .approved(minutes: Int(minutes))
    }
  }
}
