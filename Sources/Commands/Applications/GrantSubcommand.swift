import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The command `latchkey grant`.
struct GrantSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Grant more time for the rest of the day, or less.",
    usage: "latchkey grant [<child>] <time|-time|none> [--for <learning|reward|neutral|application>] [--reason <text>]",
    discussion: """
      Grants add up and end with the family's day; the plan stays as it is. A grant raises limits on all machines of the \
      child's; it does not end a bedtime, a lock or a block. "none" takes back what was granted for today or taken away, other than \
      by answers to requests. Less time takes no more than what is left of the day's limit.

      Example: latchkey grant Emma 30m --reason "tidied up"
      Example: latchkey grant 1h --for reward --wait
      Example: latchkey grant Emma -30m --reason "rude at dinner"
      Example: latchkey grant Emma none
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  // Less time, such as -30m, looks like an option, so that the parser gives it to a list alone.
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "The child, which may be left out if there is only one, and how much time, such as 30m, 1h30m or -30m; at most 24h.",
      valueName: "child-and-time"),
    completion: CompletionNames.children)
  var words: [String]

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Only for applications of a category, or for one application.", valueName: "learning|reward|neutral|application"),
    completion: CompletionNames.apps)
  var scope: String?

  @Option(help: ArgumentHelp("Why it is more or less, which the child reads.", valueName: "text"))
  var reason: String?

  @Flag(help: .hidden)
  var family = false

  private var typed: GrantWords { GrantWords(words) }
  private var child: String? { typed.child }
  /// The minutes: negative to take time away, and 0 if the text is no time.
  private var minutes: Int { typed.minutes }
  private var isTakenBack: Bool { typed.isTakenBack }

  mutating func validate() throws {
    if let option = words.first(where: { $0.hasPrefix("--") }) {
      let name = option.prefix { $0 != "=" }
      throw ValidationError(
        ["--app", "--category"].contains(String(name))
          ? "Unknown option '\(name)': what the time is for follows --for, such as `latchkey grant Emma 30m --for chess`."
          : "Unknown option '\(name)': name the child without an option, such as `latchkey grant Emma 30m`.")
    }
    if let sentence = typed.fault(options: reason.map { ["--reason", $0] } ?? [], scope: scope) {
      throw ValidationError(sentence)
    }
    if let reason, reason.allSatisfy(\.isWhitespace) {
      let command = ["latchkey", "grant"] + words + (scope.map { ["--for", $0] } ?? [])
      throw ValidationError("The reason has no words: give --reason a text, or type `\(TypedWord.command(command))`.")
    }
    if isTakenBack, scope != nil { throw ValidationError("None takes back all of today's grants: leave --for out.") }
    if isTakenBack, reason != nil {
      throw ValidationError("A reason is for more time or for less: leave --reason out with none.")
    }
    if let scope, AppCategory(argument: scope) == nil { try AppChoice.check(scope) }
  }

  func run() async throws {
    let interface = try await node.open()
    if family {
      throw try await EachChild.failure("Time is given to one child", "grant", " \(typed.time)", at: interface)
    }
    if isTakenBack { return try await takeBack(at: interface) }
    let category = scope.flatMap { AppCategory(argument: $0) }
    let request = GrantRequest(minutes: minutes, category: category, app: category == nil ? scope : nil, reason: reason)
    let answer = try await interface.ask(Endpoints.grantTime, (child, request))
    let (edit, minutes) = (OwnedEdit(answer), answer.minutes ?? minutes)
    let purpose = category.map { ReasonText.plural($0).worded() } ?? edit.rules.app?.name
    let whom = purpose.map { " for " + ShownText.safe($0) } ?? ""
    // The time is given, and a lock or the bedtime may still keep the child from using it.
    let given = edit.rules.child?.childID.description ?? ""
    guard minutes > 0 else {
      let all = minutes == self.minutes ? "" : ", which is all that was left"
      return try await RuleIssue.tell(
        edit, ["\(edit.rules.whom): \(SpanText.minutes(-minutes)) less today\(whom)\(all)."], then: "it counts",
        at: interface, options: options)
    }
    let obstacle = try? await TodayText.obstacle(interface.ask(Endpoints.getToday, given))
    let sentences = ["\(edit.rules.whom): \(SpanText.minutes(minutes)) more today\(whom).", obstacle].compactMap(\.self)
    try await RuleIssue.tell(edit, sentences, then: "the time counts", at: interface, options: options)
  }

  /// Removes what was granted for today, and what was taken away.
  private func takeBack(at interface: any NodeInterface) async throws {
    let owner = RuleOwner.child(child)
    let present = try await owner.rules(at: interface)
    let today = FamilyClock(present).today
    let grants = present.rules.filter { rule in
      RuleKey(rule.key).map {
        [DayRule.grant.entry, DayRule.deduction.entry].contains($0.entry) && $0.days == DayRange(today)
      } == true
    }
    guard !grants.isEmpty else {
      throw TerminalFailure(
        .unknownName, "Nothing was changed: \(present.whom) was granted no time for today, and none was taken away.")
    }
    let edit = try await owner.set(RuleRequest(grants.prefix(64).map { .init($0.key.text, nil) }), at: interface)
    let kinds = Set(grants.compactMap { RuleKey($0.key)?.entry })
    let sentences = [
      (DayRule.grant.entry, "the time that was granted today is taken back"),
      (DayRule.deduction.entry, "the time that was taken away today is given back"),
    ].filter { kinds.contains($0.0) }.map { "\(edit.rules.whom): \($0.1)." }
    try await RuleIssue.tell(edit, sentences, at: interface, options: options)
  }
}
