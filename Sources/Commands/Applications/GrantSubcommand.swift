import ArgumentParser
import LatchkeyModel

/// The command `latchkey grant`.
struct GrantSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Grant more time for the rest of the day.",
    usage: "latchkey grant [<child>] <time> [--for <learning|reward|neutral|application>]",
    discussion: """
      Grants add up and end with the family's day; the plan stays as it is. A grant raises limits on all machines of the \
      child's; it does not end a bedtime, a lock or a block. This version records it; it does not yet close applications.

      Example: latchkey grant Emma 30m
      Example: latchkey grant 1h --for reward --wait
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: ArgumentHelp(
      "The child, which may be left out if there is only one, and how much time, such as 30m or 1h30m; at most 24h.",
      valueName: "child-and-time"),
    completion: CompletionNames.children)
  var words: [String]

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Only for applications of a category, or for one application.", valueName: "learning|reward|neutral|application"),
    completion: CompletionNames.apps)
  var scope: String?

  private var minutes: Int { words.last.flatMap(SpanReader.minutes) ?? 0 }

  mutating func validate() throws {
    guard (1...2).contains(words.count) else {
      throw ValidationError("Name one child and one time, such as `latchkey grant Emma 30m`.")
    }
    guard (1...1_440).contains(minutes) else {
      throw ValidationError("A grant is for 1 minute to 24 hours, such as 30m or 1h30m; the time comes last.")
    }
    if let scope, AppCategory(rawValue: scope) == nil { try AppChoice.check(scope) }
  }

  func run() async throws {
    let interface = try await node.open()
    let child = if words.count == 2 { words[0] } else { try await interface.rules(ofChild: nil).child.name.text }
    var request = GrantRequest(minutes: minutes, category: scope.flatMap { AppCategory(rawValue: $0) })
    if let scope, request.category == nil {
      let apps = try await interface.apps(ofChild: child).flatMap(\.apps)
      guard let match = try AppChoice.match(scope, among: apps) else { throw AppChoice.unknown(scope, among: apps) }
      request.app = match.appID
    }
    let edit = try await interface.grant(toChild: child, request)
    let shown = ShownText.safe(edit.rules.child.name.text)
    let whom = scope.map { " for " + ShownText.safe($0) } ?? ""
    try await RuleIssue.tell(
      edit, edit.commands, ["\(shown): \(SpanText.minutes(minutes)) more today\(whom)."],
      ofNobody: "\(shown) has no machine yet: the time counts once one is paired.", at: interface, options: options)
  }
}
