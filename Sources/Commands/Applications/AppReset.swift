import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The removal of all rules of an application.
enum AppReset {
  /// Takes away what is set for an application in the owner's place, and says what holds then.
  ///
  /// - Parameters:
  ///   - text: The application's name or ID.
  ///   - found: The owner of the rules, and the applications that a person may mean.
  ///   - node: The node.
  ///   - options: How rules are set.
  ///   - mustHaveRules: Whether an application without rules is a failure.
  /// - Throws: `TerminalFailure` for an application that is unknown.
  static func run(
    _ text: String, of found: AppOwner.Found, at node: any NodeInterface, options: RuleOptions,
    mustHaveRules: Bool = false
  ) async throws {
    guard let id = try found.known.match(text) else {
      throw found.known.unknown(text)
    }
    let keys = try await keys(of: id, found, at: node)
    guard keys.isEmpty else {
      try await RuleIssue.set(
        RuleRequest(keys.map { .init($0, nil) }), of: found.owner, at: node, options: options
      ) { [try await standing(of: id, found, at: node)] }
      return
    }
    if !mustHaveRules {
      return TerminalEnvironment.current.console.note(
        "Nothing was set. " + (try await standing(of: id, found, at: node)))
    }
    let name = found.known.name(of: id)
    let isSet = found.apps.contains { $0.appID == id && !$0.rules.isEmpty }
    throw TerminalFailure(
      .unknownName,
      !isSet
        ? "\(name) has no rules."
        : found.child == nil
          ? "\(name) has no rules of the family's, only a child's: name the child with --child."
          : "\(name) has only rules of the family's: add --family to remove them for all children.")
  }

  /// Returns the keys of the rules that are set in the place of the owner's.
  private static func keys(
    of app: AppID, _ found: AppOwner.Found, at node: any NodeInterface
  ) async throws -> [String] {
    try await found.owner.rules(at: node).rules.map(\.key).filter { RuleKey($0)?.application == app }.map(\.text)
  }

  /// Returns a sentence with what holds for an application now.
  private static func standing(
    of id: AppID, _ found: AppOwner.Found, at node: any NodeInterface
  ) async throws -> String {
    let name = found.known.name(of: id)
    let byDefault = DefaultCategory.all[id].map { "its default, \($0.rawValue)," } ?? "nothing"
    guard let child = found.child else {
      return "For the family: of \(name), \(byDefault) holds now, unless a child has rules of its own."
    }
    let whom = ShownText.safe(child.name.text)
    let now = try await node.ask(Endpoints.getApps, child.childID.description).flatMap(\.apps).first { $0.appID == id }
    guard let now, !now.rules.isEmpty else {
      return "\(whom): nothing is set for \(name) now"
        + (DefaultCategory.all[id].map { "; by default it is \($0.rawValue)." } ?? "; it is neutral.")
    }
    let rules = now.rules.map { ShownText.safe(RuleText.phrase($0.key, $0.value)) }.joined(separator: ", ")
    return "\(whom): what is set for the family holds for \(name) now (\(rules)); add --family to take that away."
  }
}
