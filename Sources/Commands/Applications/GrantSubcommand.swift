import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

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
    help: .value(
      "child-and-time",
      "The child, which may be left out if there is only one, and how much time, such as 30m, 1h30m or -30m; at most 24h."
    ), completion: CompletionNames.children)
  var words: [String]

  @Option(
    name: .customLong("for"),
    help: .value("learning|reward|neutral|application", "Only for applications of a category, or for one application."),
    completion: CompletionNames.apps)
  var scope: String?

  @Option(help: .value("text", "Why it is more or less, which the child reads.")) var reason: String?
  @Flag(help: .hidden) var family = false

  private var typed: GrantWords { GrantWords(words) }

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
    if typed.isTakenBack, scope != nil {
      throw ValidationError("None takes back all of today's grants: leave --for out.")
    }
    if typed.isTakenBack, reason != nil {
      throw ValidationError("A reason is for more time or for less: leave --reason out with none.")
    }
    if let scope, AppCategory(argument: scope) == nil { try AppChoice.check(scope) }
  }

  func run() async throws {
    let (interface, typed) = (try await node.open(), self.typed)
    if family {
      throw try await EachChild.failure("Time is given to one child", "grant", " \(typed.time)", at: interface)
    }
    if typed.isTakenBack { return try await takeBack(at: interface) }
    let category = scope.flatMap { AppCategory(argument: $0) }
    let request = GrantRequest(
      minutes: typed.minutes, category: category, app: category == nil ? scope : nil, reason: reason)
    let answer = try await interface.ask(Endpoints.grantTime, (typed.child, request))
    let (edit, minutes) = (OwnedEdit(answer), answer.minutes ?? typed.minutes)
    let purpose = category.map { ReasonText.plural($0).worded() } ?? edit.rules.app?.name
    let whom = purpose.map { " for " + ShownText.safe($0) } ?? ""
    // The time is given, and a lock or the bedtime may still keep the child from using it.
    let given = edit.rules.child?.childID.description ?? ""
    guard minutes > 0 else {
      let all = minutes == typed.minutes ? "" : ", which is all that was left"
      return try await RuleIssue.tell(
        edit, ["\(edit.rules.whom): \(SpanText.minutes(-minutes)) less today\(whom)\(all)."], then: "it counts",
        at: interface, options: options)
    }
    let obstacle = try? await TodayText.obstacle(interface.ask(Endpoints.getToday, given))
    let sentences = ["\(edit.rules.whom): \(SpanText.minutes(minutes)) more today\(whom).", obstacle].compactMap(\.self)
    try await RuleIssue.tell(edit, sentences, then: "the time counts", at: interface, options: options)
  }

  private func takeBack(at interface: any NodeInterface) async throws {
    let owner = RuleOwner.child(typed.child)
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

/// The child and the time of a grant, in the order in which a person types them.
private struct GrantWords {
  /// The child; `nil` for the only one.
  private(set) var child: String?
  /// The time as one word, with a hyphen for a minus sign or a dash before it.
  private(set) var time = ""
  /// The words without the time.
  private var rest: [String] = []
  /// The number of those words that stand before the time.
  private var countBefore = 0

  private static let less: Set<String> = ["fewer", "less", "minus"]
  /// Words that say nothing beside a child and a time.
  private static let fillers: Set<String> = ["extra", "more", "please", "plus", "to", "today"]

  init(_ words: [String]) {
    let words = words.map { word in word.first.map { "−–".contains($0) } == true ? "-" + word.dropFirst() : word }
    // `90 min` and `1 h 30 min` are one time.
    let spans = words.indices.flatMap { start in (start..<words.count).map { start...$0 } }.reversed()
    guard let span = spans.filter({ Self.minutes(words[$0].joined()) != nil }).max(by: { $0.count < $1.count }) else {
      (child, rest) = (words.first, words)
      return
    }
    time = words[span].joined()
    // The child may also follow the time.
    (rest, countBefore) = (Array(words[..<span.lowerBound] + words[(span.upperBound + 1)...]), span.lowerBound)
    child = rest.first
  }

  var isTakenBack: Bool { time.lowercased() == "none" }

  /// The minutes: negative to take time away, and 0 if there are none.
  var minutes: Int { isTakenBack ? 0 : Self.minutes(time) ?? 0 }

  /// Returns what is wrong, with the command to type, which keeps the options; `scope` is `--for`.
  func fault(options: [String], scope: String?) -> String? {
    let start = ["latchkey", "grant"] + (child.map { [$0] } ?? [])
    func command(_ rest: [String]) -> String { "`\(TypedWord.command(start + rest))`" }
    // Many hours are rather a time of the day.
    if time.isEmpty, rest.count <= 2, let last = rest.last, let meant = SpanReader.meant(last),
      (1...300).contains(SpanReader.minutes(meant) ?? 0)
    {
      return "“\(ShownText.safe(last))” is written differently: type "
        + "`\(TypedWord.command(["latchkey", "grant"] + rest.dropLast() + [meant] + options))`."
    }
    if time.isEmpty { return "Say how much time, such as \(command(["30m"])), or \(command(["-30m"])) for less." }
    guard isTakenBack || (1...1_440).contains(abs(minutes)) else {
      return "A grant is for 1 minute to 24 hours: type a time such as \(command(["30m"]))."
    }
    if rest.dropFirst().map({ $0.lowercased() }) == ["tomorrow"] {
      let owner = child.map { ["--child", $0] } ?? []
      return "A grant is for today alone. Another day is given a limit of its own: type "
        + "`\(TypedWord.command(["latchkey", "limit", "set"] + owner + ["--day", "tomorrow", "--daily", "2h"]))`."
    }
    guard rest.count > 1 || isLess else { return nil }
    return meant(options, scope) ?? usage
  }

  private var isLess: Bool { rest.contains { Self.less.contains($0.lowercased()) } }

  /// Returns the words without those that only say more or less.
  private func named(_ words: some Sequence<String>) -> [String] {
    words.filter { !Self.less.contains($0.lowercased()) && !Self.fillers.contains($0.lowercased()) }
  }

  /// Returns a sentence with the command that is meant; `nil` if it is not clear.
  private func meant(_ options: [String], _ scope: String?) -> String? {
    if scope?.lowercased() == "group" {
      return "A grant is for everything, for a category or for one application: no group follows --for. "
        + "An example: \(example)."
    }
    let time = isLess && !time.hasPrefix("-") ? "-" + time : time
    func works(_ words: [String]) -> Bool { WholeCommand.works(["grant"] + words + options) }
    func shown(_ words: [String]) -> String { "`\(TypedWord.command(["latchkey", "grant"] + words + options))`" }
    let parts = named(rest).split(maxSplits: 1, omittingEmptySubsequences: false) { $0.lowercased() == "for" }
    let (names, purpose) = (Array(parts.first ?? []), parts.count > 1 ? Array(parts[1]) : [])
    guard scope == nil, !isLess || !isTakenBack, parts.count == 1 || !purpose.isEmpty,
      !(names + purpose).contains(where: { $0.lowercased() == "for" || Self.minutes($0) != nil })
    else { return nil }
    let whose = Array(names.prefix(1))
    let (before, after) = (named(rest.prefix(countBefore)), names.dropFirst())
    switch (names.count, purpose.count) {
    case (0...1, 0) where works(whose + [time]):
      return (isLess ? "Less time has a minus sign before it" : "A grant is for today, and has a child and a time")
        + ": type \(shown(whose + [time]))."
    case (0, 1):
      let scoped = [time, "--for", purpose[0]]
      guard works(scoped), works(purpose + [time]) else { return nil }
      let isFor = "What the time is for follows --for: type \(shown(scoped))"
      if AppCategory(argument: purpose[0]) != nil { return isFor + "." }
      return "A child is named before the time: type \(shown(purpose + [time])). \(isFor)."
    case (1, 1),
      (2, 0) where before.count <= 1:
      let scoped = whose + [time, "--for", purpose.first ?? names[1]]
      return works(scoped) ? "What the time is for follows --for: type \(shown(scoped))." : nil
    case (1, 2...),
      (3..., 0) where before.count == 1:
      let text = (purpose.isEmpty ? Array(after) : purpose).joined(separator: " ")
      let (scoped, reasoned) = (whose + [time, "--for", text], whose + [time, "--reason", text])
      guard options.isEmpty, works(scoped), works(reasoned) else { return nil }
      return "What the time is for follows --for, and why it is given --reason; several words are written in quotes: "
        + "type \(shown(scoped)) or \(shown(reasoned))."
    case (2..., 0) where before.count == names.count && names.allSatisfy { works([$0, time]) }:
      return "Name one child and one time: type \(ShownText.list(names.map { shown([$0, time]) }))."
    default: return nil
    }
  }

  /// A grant for the same child that changes little.
  private var example: String {
    let name = named(rest).first { $0.lowercased() != "for" && Self.minutes($0) == nil }
    let time = isLess || (rest + [time]).contains { $0.hasPrefix("-") } ? "-5m" : "5m"
    return "`\(TypedWord.command(["latchkey", "grant"] + (name.map { [$0] } ?? []) + [time]))`"
  }

  private var usage: String {
    "Name one child and one time. What the time is for follows --for, and why it is given --reason; several words are "
      + "written in quotes. An example: \(example)."
  }

  private static func minutes(_ text: String) -> Int? {
    if text.lowercased() == "none" { return 0 }
    return text.hasPrefix("-") ? SpanReader.minutes(String(text.dropFirst())).map { -$0 } : SpanReader.minutes(text)
  }
}
