import LatchkeyModel

/// The applications that a grant of time is for.
public enum GrantScope: Hashable, Sendable {
  /// Every application.
  case all
  case category(AppCategory)
  case app(AppID)
}

/// More time on one day.
///
/// As text: `30` for every application, `30 reward`, or `30 app:` and the application's ID; in
/// minutes.
///
/// Spec: Protocol/11-rules.md §1.
public struct Grant: Hashable, Sendable {
  /// The minutes, 1 to 1,440.
  public let minutes: Int
  public let scope: GrantScope

  /// Creates a grant; the minutes are limited to 1 to 1,440.
  public init(minutes: Int, scope: GrantScope) {
    self.minutes = min(max(minutes, 1), 1_440)
    self.scope = scope
  }

  public init(typed text: String) throws(RuleFault) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard (1...2).contains(words.count), let minutes = RuleNumber.read(words[0]), (1...1_440).contains(minutes) else {
      throw RuleFault("More time is 1 to 1,440 minutes: give a number, such as 30.")
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
      throw RuleFault(
        "More time is for all, for learning, reward or neutral, or for one application: name one of them.")
    }
  }

  public var text: String {
    switch scope {
    case .all: "\(minutes)"
    case .category(let category): "\(minutes) \(category.rawValue)"
    case .app(let app): "\(minutes) app:\(app.text)"
    }
  }
}
