import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey explain` subcommand.
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

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions
  @OptionGroup var whose: OnlyChildArgument

  @Option(
    help: ArgumentHelp("The application, by its ID or name.", valueName: "application"),
    completion: CompletionNames.apps)
  var app: String?

  /// The application, if it is typed after the child or in the child's place.
  @Argument(help: .hidden, completion: CompletionNames.apps)
  var other: String?

  @Option(help: ArgumentHelp("The moment to explain.", valueName: "time"), transform: TypedMoment.read)
  var at: TypedMoment?

  mutating func validate() throws {
    if app != nil, let other {
      throw ValidationError(
        "“\(ShownText.safe(other))” is one word too many: give one child, and the application after --app.")
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    guard let app else { throw try await withoutApp(at: interface) }
    let name = try await ChildChoice.name(whose.child, at: interface)
    var moment: Int64?
    if let at { moment = at.instant(in: try await FamilyClock(at: interface).zone) }
    let found = try await interface.ask(Endpoints.getExplanation, (name, app, moment))
    if listing.format == .json { return try environment.console.write(JSONText.pretty(found)) }
    let verdict = found.app.verdict
    let whose = found.shared.isEmpty ? "" : ", by \(ShownText.safe(found.name.text))'s own rules"
    try environment.console.say(
      "\(ShownText.safe(found.app.displayName)) for \(ShownText.safe(found.name.text)), "
        + "\(TimeText.short(found.at, zone: TimeText.zone(found.zone))): \(Self.words(verdict, found))\(whose).")
    try environment.console.write(
      "\n"
        + TableText.render(
          ["Rule", "Says"], wrap: [0, 1], rows: found.rules.map { [$0.words, Self.standing($0, found)] },
          empty: "No rule holds for it at that time."
        ))
    if let sentence = ExplainedChange.sentence(found) { environment.console.note(sentence) }
    for sentence in found.shared + found.leftOpen { environment.console.note(ShownText.safe(sentence)) }
  }

  /// Returns what to type if no application is named with `--app`, with the name of a child if the
  /// family has several.
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

  private static func words(_ verdict: VerdictToday, _ found: ChildExplanation) -> String {
    let until = verdict.until.map { ", until \(TodayText.clock($0, at: found.at, zone: found.zone))" } ?? ""
    guard verdict.isAllowed else {
      let reason = ShownText.worded(verdict.reason ?? Phrase("a rule"))
      let exception = found.app.exception
      return exception.isEmpty ? "not allowed\(until) (\(reason))" : "the rules say no\(until) (\(reason))\(exception)"
    }
    guard let left = verdict.leftMilliseconds else { return "allowed" }
    return "allowed, \(TodayText.left(left)) left\(until)"
      + (verdict.reason.map { " (\(ShownText.worded($0)))" } ?? "")
  }

  private static func standing(_ rule: ChildExplanation.Rule, _ found: ChildExplanation) -> String {
    let until = rule.leftMilliseconds.map { TodayText.clock(found.at + $0, at: found.at, zone: found.zone) }
    switch (rule.isOpen, rule.leftMilliseconds) {
    case (true, let left?):
      return "open for \(TodayText.left(left)), until \(until ?? "")"
    case (true, nil) where rule.rule == "alwaysAllowed": return "open at any time"
    case (true, nil): return "open to the end of tomorrow at least"
    case (false, _?): return "closed until \(until ?? "")"
    case (false, nil):
      return ["points", "redeemedTime"].contains(rule.rule)
        ? "closed until there are more points" : "closed until a parent changes it"
    }
  }
}

/// The child that a person means.
enum ChildChoice {
  static func name(_ given: String?, at node: any NodeInterface) async throws -> String {
    if let given { return given }
    return try await node.ask(Endpoints.getRules, nil).child.childID.description
  }
}
