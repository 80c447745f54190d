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

/// The setting of rules at the node, and what is said of it.
enum RuleIssue {
  /// Sets rules of a child, says when the child's machines get them and, with `--wait`, what became of that.
  static func set(
    _ changes: [RuleRequest.Change], of child: String?, at node: any NodeInterface, options: RuleOptions
  ) async throws {
    let console = TerminalEnvironment.current.console
    let name = if let child { child } else { try await node.rules(ofChild: nil).child.name.text }
    let edit = try await node.setRules(ofChild: name, RuleRequest(changes))
    if options.format == .json { try console.write(JSONText.pretty(edit)) }
    let shown = ShownText.safe(edit.rules.child.name.text)
    if options.format == .text {
      for change in changes {
        let rule = edit.rules.rules.first { $0.key.text == change.key }
        let words = rule.map { $0.key == "lock" ? $0.words : "\($0.name) \($0.words)" }
        console.note(words.map { "\(shown): \($0)." } ?? "\(shown): that rule is removed.")
      }
      if edit.commands.isEmpty { console.note("\(shown) has no machine yet: the rule holds once one is paired.") }
    }
    let peers = try await node.devices()
    for command in edit.commands {
      let peer = peers.first { $0.device.deviceID == command.target }
      if options.format == .text { console.note(CommandIssue.delivery(to: peer, isWaiting: options.wait != nil)) }
    }
    guard let time = options.wait else { return }
    for command in edit.commands {
      let id = command.commandID.description
      let ended = try await CommandWaiter(node: node).wait(id, seconds: time.seconds)
      try CommandEnd.tell(
        ended, id: id, machine: peers.first { $0.device.deviceID == command.target }?.device.name,
        format: options.format == .json ? .json : .table, time: time)
    }
  }
}
