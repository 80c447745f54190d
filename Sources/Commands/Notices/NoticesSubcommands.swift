import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct NoticesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notices", abstract: "What parents were told, and what they are told of.",
    discussion: "Example: latchkey notices", subcommands: [NoticesListSubcommand.self, NoticesSetSubcommand.self],
    defaultSubcommand: NoticesListSubcommand.self)
}

struct NoticesListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what parents were told, the newest last.",
    discussion: """
      `latchkey notify` shows them on the desktop, each once. What is over, such as a request that was answered, is listed as \
      that.

      Example: latchkey notices list
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let interface = try await node.open()
    let found = try await interface.ask(Endpoints.getNotices, nil)
    if listing.format == .json { return try console.write(JSONText.pretty(found)) }
    let family = try await RuleOwner.family.rules(at: interface)
    let zone = FamilyClock(family).zone
    try console.write(
      TableText.render(
        ["When", "Notice", ""], wrap: [1],
        rows: found.notices.map { notice in
          [TimeText.short(notice.at, zone: zone), notice.sentence, notice.isOver ? "over" : ""]
        }, empty: "Parents were told nothing yet."))
    let set = family.rules.filter { $0.key.text.hasPrefix("family/notices/") }
    for sentence in RuleText.phrases(set.map { ($0.key, $0.value) }, family.terms) {
      console.note(ShownText.safe("For the family: \(sentence)."))
    }
  }
}

struct NoticesSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Choose what the family's parents are told, and when.",
    discussion: """
      The choice is the whole family's and holds on each parent's machine. In quiet hours nothing is shown; what still matters \
      is shown when they end.

      Example: latchkey notices set --limits off --quiet "22:00-07:00"
      """)

  /// Whether something is told.
  enum Told: String, WordArgument {
    case on
    case off
  }

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Option(help: ArgumentHelp("A child asks for time or an application.", valueName: "on|off"))
  var requests: Told?

  @Option(help: ArgumentHelp("A child has used up a limit.", valueName: "on|off"))
  var limits: Told?

  @Option(help: ArgumentHelp("A machine has been silent for two days, or is there again.", valueName: "on|off"))
  var machines: Told?

  @Option(help: ArgumentHelp("Rules are weakened, or not in force an hour after they were set.", valueName: "on|off"))
  var rules: Told?

  @Option(help: ArgumentHelp("Another parent's machine has joined.", valueName: "on|off"))
  var parents: Told?

  @Option(help: ArgumentHelp("Learning waits for a review.", valueName: "on|off"))
  var reviews: Told?

  @Option(help: ArgumentHelp("When nothing is shown, such as \"22:00-07:00\", or none.", valueName: "times|none"))
  var quiet: String?

  mutating func validate() throws {
    guard !changes.isEmpty else { throw ValidationError("Nothing is to be changed: give at least one option.") }
  }

  func run() async throws {
    try await RuleIssue.set(RuleRequest(changes), of: .family, at: node.open(), options: options)
  }

  private var changes: [RuleRequest.Change] {
    let told = [
      (NoticeRule.requests, requests), (NoticeRule.limits, limits), (NoticeRule.machines, machines),
      (NoticeRule.rules, rules), (NoticeRule.parents, parents), (NoticeRule.reviews, reviews),
    ]
    return told.compactMap { kind, value in value.map { kind.key.change(kind.text($0 == .on)) } }
      + TimesText.changes(of: NoticeRule.quiet.key.text, to: quiet)
  }
}
