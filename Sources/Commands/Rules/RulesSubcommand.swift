import ArgumentParser
import LatchkeyModel

/// The `latchkey rules` subcommand.
struct RulesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Show the rules of a child.",
    discussion: """
      The rules hold on every machine of the child's. This version records and shows them; it does not yet close applications.

      Example: latchkey rules Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Argument(
    help: ArgumentHelp("The child; may be left out if there is only one.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?

  func run() async throws {
    let environment = TerminalEnvironment.current
    let rules = try await node.open().rules(ofChild: child)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(rules))
    case .table:
      try environment.console.write(
        TableText.render(
          ["Rule", "Value", "Set by", "When"], spare: [3, 2], wrap: [1],
          rows: rules.rules.map { rule in
            [
              rule.name, rule.words, ShownText.safe(rule.setBy.text),
              TimeText.short(rule.setAt, zone: environment.timeZone),
            ]
          },
          empty: "No rules are set for \(ShownText.safe(rules.child.name.text)) yet: `latchkey limit set --daily 2h`."))
      for rule in rules.rules {
        if let reason = rule.notInForce { environment.console.note("\(rule.name) is not in force. \(reason)") }
      }
      if let sentence = ChildText.untold(rules.child) { environment.console.note(sentence) }
    }
  }
}

/// The child whose rules are set.
struct RuledChildOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The child; may be left out if there is only one.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?
}

/// How rules are set, and how that is answered here.
struct RuleOptions: ParsableArguments {
  @Option(
    defaultAsFlag: WaitingTime.usual, parsing: .next,
    help: ArgumentHelp(
      "Wait until every machine of the child's has them, at most this long (60 s when no time follows).",
      valueName: "time"))
  var wait: WaitingTime?

  @Option(help: ArgumentHelp("Write the rules as JSON.", valueName: "text|json"))
  var format: AnswerFormat = .text
}
