import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct ExplainSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show why a child may use an application or may not.",
    usage:
      "latchkey explain [--state-dir <folder>] [--format <table|json>] [<child>] --app <application> [--at <time>]",
    discussion: """
      Every rule that is considered is listed with what it says; the least that is left holds. --at takes a time of today such \
      as 19:30, or a moment such as 2026-11-21T18:30, on the family's clock, and explains it with what was used until then.

      Example: latchkey explain Emma --app org.supertuxkart.SuperTuxKart
      Example: latchkey explain --app SuperTuxKart --at 20:30
      """)

  @OptionGroup var listing: ListingOptions
  @OptionGroup var whose: OnlyChildArgument

  @Option(help: .value("application", "The application, by its ID or name."), completion: CompletionNames.apps)
  var app: String?

  /// The application, if it is typed after the child or in the child's place.
  @Argument(help: .hidden, completion: CompletionNames.apps) var other: String?

  @Option(help: .value("time", "The moment to explain."), transform: TypedMoment.read) var at: TypedMoment?

  mutating func validate() throws {
    if app != nil, let other {
      throw ValidationError(
        "“\(ShownText.safe(other))” is one word too many: give one child, and the application after --app.")
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    guard let app else { throw try await withoutApp(at: interface) }
    let name = try await ChildChoice.name(whose.child, at: interface)
    var moment: Int64?
    if let at { moment = at.instant(in: try await FamilyClock(at: interface).zone) }
    let found = try await interface.ask(Endpoints.getExplanation, (name, app, moment))
    if listing.format == .json { return try console.write(JSONText.pretty(found)) }
    let language = try await environment.language(at: interface)
    try console.say(ShownText.worded(Self.head(found), in: language))
    let heads: [Phrase] = ["Rule", "Says"]
    try console.write(
      "\n"
        + TableText.render(
          heads, wrap: [0, 1],
          rows: found.rules.map { rule in
            [rule.said, Self.standing(rule, found)].map { ShownText.worded($0, in: language) }
          }, empty: Phrase("No rule holds for it at that time."), in: language))
    // The commands are a parent's; who reads another language is told what a child can do.
    if language != .english {
      if !found.app.verdict.isAllowed { console.note(ShownText.worded(Self.asking(found), in: language)) }
    } else if let sentence = ExplainedChange.sentence(found) {
      console.note(sentence)
    }
    for sentence in found.shared + found.leftOpen { console.note(ShownText.safe(sentence)) }
  }

  /// Returns what to type if `--app` is missing, with the name of a child if there are several.
  private func withoutApp(at node: any NodeInterface) async throws -> TerminalFailure {
    let names = try await node.ask(Endpoints.getChildren).map(\.name.text)
    let typed = [whose.child, other].compactMap(\.self)
    let child = typed.first { word in names.contains { $0.lowercased().hasPrefix(word.lowercased()) } }
    let named = child ?? (names.count > 1 ? names.sorted().first : nil)
    let start = ["latchkey", "explain"] + (named.map { [$0] } ?? []) + ["--app"]
    if let app = typed.first(where: { $0 != child }) {
      return TerminalFailure(.usage, "The application follows --app: type `\(TypedWord.command(start + [app]))`.")
    }
    let option = named.map { ["--child", $0] } ?? []
    return TerminalFailure(
      .usage,
      "Say which application is to be explained, such as `\(TypedWord.command(start + ["chess"]))`. "
        + "`\(TypedWord.command(["latchkey", "apps", "list"] + option))` lists those with rules, and "
        + "`\(TypedWord.command(["latchkey", "today"] + (named.map { [$0] } ?? [])))` what holds for the whole day.")
  }

  /// Returns what holds for the application, such as “Chess for Emma, 2026-11-21 14:03: allowed”.
  static func head(_ found: ChildExplanation) -> Phrase {
    let arguments: [String: Phrase.Argument] = [
      "app": .phrase(ProgramsName.phrase(found.app.displayName)), "child": .text(found.name.text),
      "time": .text(TimeText.short(found.at, zone: TimeText.zone(found.zone))), "state": .phrase(state(found)),
    ]
    return found.shared.isEmpty
      ? Phrase("{app} for {child}, {time}: {state}.", arguments)
      : Phrase("{app} for {child}, {time}: {state}, by {child}'s own rules.", arguments)
  }

  private static func state(_ found: ChildExplanation) -> Phrase {
    let verdict = found.app.verdict
    var arguments: [String: Phrase.Argument] = ["why": .phrase(verdict.reason ?? Phrase("a rule"))]
    if let until = verdict.until { arguments["until"] = .text(TodayText.clock(until, at: found.at, zone: found.zone)) }
    guard verdict.isAllowed else {
      let exception = found.app.exception
      guard exception.isEmpty else {
        let no =
          verdict.until == nil
          ? Phrase("the rules say no ({why})", arguments) : Phrase("the rules say no until {until} ({why})", arguments)
        return found.app.excepting(no)
      }
      return verdict.until == nil
        ? Phrase("not allowed ({why})", arguments) : Phrase("not allowed until {until} ({why})", arguments)
    }
    guard let left = verdict.leftMilliseconds else { return Phrase("allowed") }
    arguments["time"] = .phrase(SpanText.phrase(left: left))
    let isExplained = verdict.reason != nil
    return switch (verdict.until != nil, isExplained) {
    case (true, true): Phrase("allowed, {time} left, until {until} ({why})", arguments)
    case (true, false): Phrase("allowed, {time} left, until {until}", arguments)
    case (false, true): Phrase("allowed, {time} left ({why})", arguments)
    case (false, false): Phrase("allowed, {time} left", arguments)
    }
  }

  /// Returns how a child asks for the application.
  private static func asking(_ found: ChildExplanation) -> Phrase {
    let names = [found.app.appID: found.app.displayName]
    let word = ShellWord.person(RuleTerms(names: names).argument(found.app.appID))
    return found.app.appID.isOfMany
      ? Phrase("Your parents can change that: ask them.")
      : Phrase("Your parents can change that: ask them with `latchkey ask --app {word}`.", ["word": .text(word)])
  }

  private static func standing(_ rule: ChildExplanation.Rule, _ found: ChildExplanation) -> Phrase {
    var arguments: [String: Phrase.Argument] = [:]
    if let left = rule.leftMilliseconds {
      arguments["until"] = .text(TodayText.clock(found.at + left, at: found.at, zone: found.zone))
    }
    switch (rule.isOpen, rule.leftMilliseconds) {
    case (true, let left?):
      arguments["time"] = .phrase(SpanText.phrase(left: left))
      return Phrase("open for {time}, until {until}", arguments)
    case (true, nil) where rule.rule == "alwaysAllowed": return Phrase("open at any time")
    case (true, nil): return Phrase("open to the end of tomorrow at least")
    case (false, _?): return Phrase("closed until {until}", arguments)
    case (false, nil):
      return ["points", "redeemedTime"].contains(rule.rule)
        ? Phrase("closed until there are more points") : Phrase("closed until a parent changes it")
    }
  }
}

enum ChildChoice {
  static func name(_ given: String?, at node: any NodeInterface) async throws -> String {
    if let given { return given }
    return try await node.ask(Endpoints.getRules, nil).child.childID.description
  }
}
