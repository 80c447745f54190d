import LatchkeyModel

/// The applications that a grant of time is for.
public enum GrantScope: Hashable, Sendable {
  case all
  case category(AppCategory)
  case app(AppID)
}

/// More time on one day, or less.
///
/// As text: `30` for every application, `30 reward`, or `30 app:` and the application's ID; in
/// minutes. A parent's grant may have a reason, which is a line of its own.
///
/// Spec: Protocol/11-rules.md §1.
public struct Grant: Hashable, Sendable {
  /// The minutes, 1 to 1,440.
  public let minutes: Int
  public let scope: GrantScope
  /// Why a parent gives the time, which the child reads; empty for no reason.
  public private(set) var reason = ""

  /// Creates a grant; the minutes are limited to 1 to 1,440.
  public init(minutes: Int, scope: GrantScope, reason: String = "") {
    self.minutes = min(max(minutes, 1), 1_440)
    (self.scope, self.reason) = (scope, reason)
  }

  /// Reads a grant, which a line with the reason may follow.
  init(withReason text: String) throws(RuleFault) {
    let (time, reason) = try Self.lines(text)
    try self.init(typed: time)
    self.reason = reason
  }

  /// Returns the lines of a text: the time, and the reason if there is one.
  fileprivate static func lines(_ text: String) throws(RuleFault) -> (time: String, reason: String) {
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    if lines.count == 2, let fault = TextRule.reason.faultPhrase(in: String(lines[1])) { throw RuleFault(fault) }
    guard lines.count == 1 || !lines[1].isEmpty else { throw RuleFault("Give a reason, or leave its line out.") }
    return (String(lines[0]), lines.count == 2 ? String(lines[1]) : "")
  }

  /// Reads a grant without a reason.
  public init(typed text: String) throws(RuleFault) { try self.init(typed: text, isLess: false) }

  /// Reads a time; with `isLess`, a fault says that it is about less time.
  fileprivate init(typed text: String, isLess: Bool) throws(RuleFault) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard (1...2).contains(words.count), let minutes = RuleNumber.read(words[0]), (1...1_440).contains(minutes) else {
      throw isLess
        ? RuleFault("Less time is 1 to 1,440 minutes: give a number, such as 30.")
        : RuleFault("More time is 1 to 1,440 minutes: give a number, such as 30.")
    }
    guard words.count == 2 else {
      self.init(minutes: Int(minutes), scope: .all)
      return
    }
    if words[1].hasPrefix("app:"), let app = AppID(String(words[1].dropFirst(4))) {
      self.init(minutes: Int(minutes), scope: .app(app))
    } else if let category = AppCategory(rawValue: String(words[1])) {
      self.init(minutes: Int(minutes), scope: .category(category))
    } else {
      throw isLess
        ? RuleFault("Less time is for all, for learning, reward or neutral, or for one application: name one of them.")
        : RuleFault("More time is for all, for learning, reward or neutral, or for one application: name one of them.")
    }
  }

  public var text: String {
    let time =
      switch scope {
      case .all: "\(minutes)"
      case .category(let category): "\(minutes) \(category.rawValue)"
      case .app(let app): "\(minutes) app:\(app.text)"
      }
    return reason.isEmpty ? time : "\(time)\n\(reason)"
  }

  func covers(_ subject: Subject, _ category: AppCategory) -> Bool {
    switch scope {
    case .all: true
    case .category(let granted): granted == category
    case .app(let granted): subject.app == granted
    }
  }

  var milliseconds: Int64 { Int64(minutes) * 60_000 }

  /// Returns the time as a phrase with its reason, such as "30 min (tidied up)".
  fileprivate func phrase(_ terms: RuleTerms, reason: String) -> Phrase {
    let time = phrase(terms)
    return reason.isEmpty ? time : Phrase("{time} ({reason})", ["time": .phrase(time), "reason": .text(reason)])
  }

  /// Returns the time as a phrase, such as "30 min for rewards".
  public func phrase(_ terms: RuleTerms) -> Phrase {
    let time = SpanText.phrase(minutes: minutes)
    guard let what = purpose(terms) else { return time }
    return Phrase("{time} for {what}", ["time": .phrase(time), "what": what])
  }

  public func purpose(_ terms: RuleTerms) -> Phrase.Argument? {
    switch scope {
    case .all: nil
    case .category(let category): .phrase(ReasonText.plural(category))
    case .app(let app): .text(terms.name(app))
    }
  }
}

/// Less time on one day, with the reason that the child reads.
///
/// As text: a grant, then a line with the reason if there is one.
///
/// Spec: Protocol/11-rules.md §1.
public struct Deduction: Hashable, Sendable {
  /// The time that is taken away, and the applications that it is for.
  public let time: Grant
  public let reason: String

  public init(_ time: Grant, reason: String) { (self.time, self.reason) = (time, reason) }

  public init(typed text: String) throws(RuleFault) {
    let (time, reason) = try Grant.lines(text)
    self.init(try Grant(typed: time, isLess: true), reason: reason)
  }

  public var text: String { reason.isEmpty ? time.text : "\(time.text)\n\(reason)" }
}

extension RuleForm<Grant> {
  static var grant: Self {
    RuleForm(
      .form("grant"), typed: { text throws(RuleFault) in try Grant(withReason: text) }, text: { $0.text },
      words: { $0.phrase($1, reason: $0.reason) })
  }
}

extension RuleForm<Deduction> {
  static var deduction: Self {
    RuleForm(
      .form("deduction"), typed: { text throws(RuleFault) in try Deduction(typed: text) }, text: { $0.text },
      words: { $0.time.phrase($1, reason: $0.reason) })
  }
}
