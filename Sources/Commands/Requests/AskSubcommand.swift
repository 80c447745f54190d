import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey ask` subcommand.
struct AskSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Ask the parents for time or for an application.",
    discussion: """
      On a child's machine. Every parent sees it, the first answer holds, and `latchkey requests` shows what became of it. \
      What nobody answered ends with the day.

      Example: latchkey ask 30m --reason "finish the level"
      Example: latchkey ask 1h --for reward
      Example: latchkey ask --app org.supertuxkart.SuperTuxKart
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("How much, such as 30m or 1h30m; at most 24h.", valueName: "time"), transform: minutes)
  var time: Int?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "The time is only for this application or category.", valueName: "application|learning|reward|neutral"),
    completion: CompletionNames.apps)
  var purpose: String?

  @Option(help: ArgumentHelp("Ask for this application instead of time.", valueName: "application"))
  var app: String?

  @Option(help: ArgumentHelp("Why.", valueName: "text"))
  var reason: String = ""

  @Option(help: ArgumentHelp("Who asks, on the machine of several children.", valueName: "child"))
  var child: String?

  @Option(help: ArgumentHelp("Write the request as JSON.", valueName: "text|json"))
  var format: AnswerFormat = .text

  /// What a child is told who asks for nothing, or for two things.
  static let neither = Phrase("Ask for a time, such as 30m, or for an application with --app.")
  static let withoutTime = Phrase("Give the time with --for, such as 30m.")

  /// Returns what a child is told who asks for something that is no time, which may be the name of
  /// an application.
  static func noTime(_ text: String) -> Phrase {
    guard text.first?.isLetter == true, ShellWord.isPlain(text) else {
      return Phrase("Ask for 1 minute to 24 hours, such as 30m or 1h30m.")
    }
    return Phrase(
      "{word} is no time. For an application, type `{command}`.",
      [
        "word": .phrase(.quoted(text)), "command": .text(TypedWord.command(["latchkey", "ask", "--app", text])),
      ])
  }

  @Sendable private static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...1_440).contains(minutes) else {
      throw ValidationError(noTime(text).worded())
    }
    return minutes
  }

  mutating func validate() throws {
    guard (time == nil) != (app == nil) else {
      throw ValidationError(Self.neither.worded())
    }
    if purpose != nil, time == nil { throw ValidationError(Self.withoutTime.worded()) }
    if let fault = TextRule.reason.fault(in: reason) { throw ValidationError(fault) }
    for name in [app, purpose].compactMap({ $0 }) { try AppChoice.check(name) }
  }

  func run() async throws {
    let interface = try await node.open()
    let category = purpose.flatMap { AppCategory(argument: $0) }
    let app = category == nil ? app ?? purpose : nil
    let asked = try await interface.ask(
      Endpoints.ask, AskRequest(child: child, minutes: time, app: app, category: category, reason: reason))
    let console = TerminalEnvironment.current.console
    if format == .json { return try console.write(JSONText.pretty(asked)) }
    let language = TerminalEnvironment.current.language
    let next = ShownText.worded("`latchkey requests` shows what they say.", in: language)
    console.note("\(RequestText.asked(asked, now: TerminalEnvironment.current.now(), in: language)) \(next)")
  }
}
