import LatchkeyModel

/// What a machine could not do, with its reason in the words of who reads.
enum FailedCommands {
  /// The most that a page lists, the newest first.
  private static let most = 5
  /// Milliseconds for which it is worth knowing: a week.
  private static let longest: Int64 = 7 * 86_400_000

  static let template = """
    {{#hasFailed}}<h2>[[What was not done there]]</h2>
    <ul>{{#failed}}<li>{{reason}} <span class="age">{{what}}, {{when}}</span></li>{{/failed}}</ul>{{/hasFailed}}
    """

  /// Returns what the page shows.
  ///
  /// - Parameters:
  ///   - commands: The commands for the machine, the newest first.
  ///   - clock: The time, and the words for it.
  ///   - now: Unix milliseconds.
  /// - Returns: The data of the template.
  static func data(_ commands: [ConfigurationCommand], _ clock: PageClock, now: Int64) -> PageData {
    let failed = commands.filter { command in
      guard command.status == .failed || command.status == .expired, command.reason != nil else { return false }
      return command.statusAt > now - longest
    }
    let rows = failed.prefix(most).compactMap { command in
      command.toldReason.map { reason -> PageData in
        ["reason": reason, "what": what(command.payload.kind), "when": clock.ago(command.statusAt)]
      }
    }
    return ["failed": rows, "hasFailed": !rows.isEmpty]
  }

  private static func what(_ kind: CommandKind) -> Phrase {
    switch kind {
    case "edit": Phrase("a change of rules")
    case "message": Phrase("a message")
    case "takePoints": Phrase("taking points")
    case "reviewLearning": Phrase("a review of learning")
    case "scanApplications": Phrase("a look at what is installed")
    default: Phrase("a command")
    }
  }
}
