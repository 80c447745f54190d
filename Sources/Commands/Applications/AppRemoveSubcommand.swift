import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct AppRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an application's rules.",
    discussion: "Example: latchkey app remove org.gnome.Chess --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var owner: AppOwner
  @OptionGroup var options: RuleOptions

  @Argument(help: .value("application", "The application's ID or name."), completion: CompletionNames.apps)
  var app: String

  mutating func validate() throws { try AppChoice.check(app) }

  func run() async throws {
    try await AppReset.run(app, of: owner.whose.owner, at: node.open(), options: options, mustHaveRules: true)
  }
}

enum AppReset {
  /// Removes the owner's rules for an application, and says what holds then.
  static func run(
    _ text: String, of owner: RuleOwner, at node: any NodeInterface, options: RuleOptions, mustHaveRules: Bool = false
  ) async throws {
    let edit = try await owner.set(RuleRequest([], app: text, isReset: true), at: node)
    guard let app = edit.rules.app else { return }
    let standing = standing(of: app, edit.rules)
    switch app.reset {
    case .removed, nil: try await RuleIssue.tell(edit, [standing], at: node, options: options)
    case _ where !mustHaveRules: TerminalEnvironment.current.console.note("Nothing was set. " + standing)
    case .unset: throw TerminalFailure(.unknownName, "\(app.name) has no rules.")
    case .elsewhere:
      throw TerminalFailure(
        .unknownName,
        edit.rules.child == nil
          ? "\(app.name) has no rules of the family's, only a child's: name the child with --child."
          : "\(app.name) has only rules of the family's: add --family to remove them for all children.")
    }
  }

  private static func standing(of app: EditedApp, _ rules: OwnedRules) -> String {
    let byDefault = DefaultCategory.all[app.appID]?.rawValue
    guard rules.child != nil else {
      let category = byDefault.map { "its default, \($0)," } ?? "nothing"
      return "For the family: of \(app.name), \(category) holds now, unless a child has rules of its own."
    }
    let familys = rules.family.filter { RuleKey($0.key)?.application == app.appID }
    guard !familys.isEmpty else {
      return "\(rules.whom): nothing is set for \(app.name) now"
        + (byDefault.map { "; by default it is \($0)." } ?? "; it is neutral.")
    }
    let words = familys.map { ShownText.safe(RuleText.phrase($0.key, $0.value)) }.joined(separator: ", ")
    return
      "\(rules.whom): what is set for the family holds for \(app.name) now (\(words)); add --family to take that away."
  }
}
