import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The `latchkey requests` subcommand.
struct RequestsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "Show what children ask for.",
    discussion: """
      Those that wait for an answer come first, then the others of today.

      Example: latchkey requests
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    let requests = try await interface.ask(Endpoints.getRequests, nil)
    guard listing.format == .table else { return try environment.console.write(JSONText.pretty(requests)) }
    let language = try await environment.language(at: interface)
    let heads: [Phrase] = ["ID", "Child", "Asks for", "Why", "When", "Answer"]
    try environment.console.write(
      TableText.render(
        heads, spare: [4], wrap: [2, 3, 5],
        rows: requests.map { request in
          [
            request.short, request.childName.text, ShownText.worded(request.wish(), in: language), request.reason,
            ShownText.worded(ShownText.phrase(agoInWords: request.askedAt, now: environment.now()), in: language),
            ShownText.worded(RequestText.phrase(request), in: language),
          ]
        }, empty: Phrase("Nothing was asked for today."), in: language))
    let open = requests.filter { $0.state == .open }
    if let first = open.first, try await interface.ask(Endpoints.getStatus).role == .parent {
      environment.console.note(RequestText.answering(first, isOnly: open.count == 1))
    }
  }
}

/// The request that is answered.
struct RequestArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The request, as `latchkey requests` shows it; may be left out if only one waits.", valueName: "ID"))
  var request: String?

  @Option(help: ArgumentHelp("A word with the answer, which the child can read.", valueName: "text"))
  var word: String = ""

  @Option(help: ArgumentHelp("Write the request as JSON.", valueName: "text|json"))
  var format: AnswerFormat = .text

  mutating func validate() throws {
    if let fault = TextRule.reason.fault(in: word) { throw ValidationError(fault) }
  }

  /// Answers the request, and says what became of it.
  func answer(isApproved: Bool, minutes: Int?, at node: any NodeInterface) async throws {
    let answer = AnswerRequest(request: request, isApproved: isApproved, minutes: minutes, word: word)
    let answered: RequestListing
    do {
      answered = try await node.ask(Endpoints.answerRequest, answer)
    } catch {
      guard request == nil, error.code == .invalid else { throw error }
      let open = try await node.ask(Endpoints.getRequests, nil).filter { $0.state == .open }
      guard open.count > 1 else { throw error }
      throw TerminalFailure(.usage, RequestText.choice(of: open, isApproved: isApproved))
    }
    let console = TerminalEnvironment.current.console
    if format == .json { return try console.write(JSONText.pretty(answered)) }
    for sentence in await RequestText.outcome(answered, isApproved: isApproved, minutes: minutes, at: node) {
      console.note(sentence)
    }
  }
}

/// The `latchkey approve` subcommand.
struct ApproveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Say yes to what a child asks for.",
    discussion: """
      Time is given for the rest of the day. An application that was asked for is no longer blocked.

      Example: latchkey approve
      Example: latchkey approve 3f2a --minutes 20 --word "then bed"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: RequestArgument

  @Option(
    help: ArgumentHelp("Give this much time instead of what was asked for, such as 20 or 1h30m.", valueName: "time"))
  var minutes: String?

  /// The minutes of a number alone, or of a time such as 20m.
  private var given: Int? { minutes.flatMap(SpanReader.minutes) }

  mutating func validate() throws {
    if minutes != nil, !(1...1_440).contains(given ?? 0) {
      throw ValidationError("Give 1 minute to 24 hours, such as 20 or 1h30m.")
    }
  }

  func run() async throws { try await argument.answer(isApproved: true, minutes: given, at: node.open()) }
}

/// The `latchkey deny` subcommand.
struct DenySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Say no to what a child asks for.",
    discussion: "Example: latchkey deny 3f2a --word \"tomorrow\"")

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: RequestArgument

  func run() async throws { try await argument.answer(isApproved: false, minutes: nil, at: node.open()) }
}
