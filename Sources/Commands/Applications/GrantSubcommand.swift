import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The command `latchkey grant`.
struct GrantSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Grant more time for the rest of the day.",
    usage: "latchkey grant [<child>] <time|none> [--for <learning|reward|neutral|application>]",
    discussion: """
      Grants add up and end with the family's day; the plan stays as it is. A grant raises limits on all machines of the \
      child's; it does not end a bedtime, a lock or a block. "none" takes back what was granted for today, other than by answers \
      to requests.

      Example: latchkey grant Emma 30m
      Example: latchkey grant 1h --for reward --wait
      Example: latchkey grant Emma none
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

  private var child: String? { words.count == 2 ? words[0] : nil }

  private var minutes: Int { words.last.flatMap(SpanReader.minutes) ?? 0 }

  private var isTakenBack: Bool { words.last?.lowercased() == "none" }

  mutating func validate() throws {
    guard (1...2).contains(words.count) else {
      throw ValidationError("Name one child and one time, such as `latchkey grant Emma 30m`.")
    }
    if isTakenBack, scope != nil { throw ValidationError("None takes back all of today's grants: leave --for out.") }
    guard isTakenBack || (1...1_440).contains(minutes) else {
      throw ValidationError("A grant is for 1 minute to 24 hours, such as 30m or 1h30m; the time comes last.")
    }
    if let scope, AppCategory(argument: scope) == nil { try AppChoice.check(scope) }
  }

  func run() async throws {
    let interface = try await node.open()
    if isTakenBack { return try await takeBack(at: interface) }
    let category = scope.flatMap { AppCategory(argument: $0) }
    let request = GrantRequest(minutes: minutes, category: category, app: category == nil ? scope : nil)
    let edit = OwnedEdit(try await interface.ask(Endpoints.grantTime, (child, request)))
    let purpose = category.map(ReasonText.plural) ?? edit.rules.app?.name
    let whom = purpose.map { " for " + ShownText.safe($0) } ?? ""
    // The time is given, and a lock or the bedtime may still keep the child from using it.
    let given = edit.rules.child?.childID.description ?? ""
    let obstacle = try? await TodayText.obstacle(interface.ask(Endpoints.getToday, given))
    let sentences = ["\(edit.rules.whom): \(SpanText.minutes(minutes)) more today\(whom).", obstacle].compactMap(\.self)
    try await RuleIssue.tell(edit, sentences, then: "the time counts", at: interface, options: options)
  }

  /// Removes the grants of today.
  private func takeBack(at interface: any NodeInterface) async throws {
    let owner = RuleOwner.child(child)
    let present = try await owner.rules(at: interface)
    let today = FamilyClock(present).today
    let grants = present.rules.filter { rule in
      RuleKey(rule.key).map { $0.entry == DayRule.grant.entry && $0.days == DayRange(today) } == true
    }
    guard !grants.isEmpty else {
      throw TerminalFailure(.unknownName, "Nothing was changed: \(present.whom) was granted no time for today.")
    }
    try await RuleIssue.set(
      RuleRequest(grants.prefix(64).map { .init($0.key.text, nil) }), of: owner, at: interface, options: options)
  }
}
