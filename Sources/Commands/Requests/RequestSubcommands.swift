import ArgumentParser
import LatchkeyModel
import LatchkeyNode

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

  @Argument(help: .value("time", "How much, such as 30m or 1h30m; at most 24h."), transform: minutes) var time: Int?

  @Option(
    name: .customLong("for"),
    help: .value("application|learning|reward|neutral", "The time is only for this application or category."),
    completion: CompletionNames.apps)
  var purpose: String?

  @Option(help: .value("application", "Ask for this application instead of time.")) var app: String?
  @Option(help: .value("text", "Why.")) var reason: String = ""
  @Option(help: .value("child", "Who asks, on the machine of several children.")) var child: String?
  @Option(help: .value("text|json", "Write the request as JSON.")) var format: AnswerFormat = .text

  /// The answer to a child who asks for nothing, or for two things.
  static let neither = Phrase("Ask for a time, such as 30m, or for an application with --app.")
  static let withoutTime = Phrase("Give the time with --for, such as 30m.")

  /// Returns the answer to a child who gives no time, but perhaps the name of an application.
  static func noTime(_ text: String) -> Phrase {
    guard text.first?.isLetter == true, ShellWord.isPlain(text) else {
      return Phrase("Ask for 1 minute to 24 hours, such as 30m or 1h30m.")
    }
    return Phrase(
      "{word} is no time. For an application, type `{command}`.",
      ["word": .phrase(.quoted(text)), "command": .text(TypedWord.command(["latchkey", "ask", "--app", text]))])
  }

  @Sendable private static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...1_440).contains(minutes) else {
      throw ValidationError(noTime(text).worded())
    }
    return minutes
  }

  mutating func validate() throws {
    guard (time == nil) != (app == nil) else { throw ValidationError(Self.neither.worded()) }
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
    if format == .json { return try console.write(JSONText.pretty(asked)) }
    let language = TerminalEnvironment.current.language
    let next = ShownText.worded("`latchkey requests` shows what they say.", in: language)
    console.note("\(RequestText.asked(asked, now: TerminalEnvironment.current.now(), in: language)) \(next)")
  }
}

struct RequestsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "Show what children ask for.",
    discussion: """
      Those that wait for an answer come first, then the others of today.

      Example: latchkey requests
      """)

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let requests = try await interface.ask(Endpoints.getRequests, nil)
    guard listing.format == .table else { return try console.write(JSONText.pretty(requests)) }
    let language = try await environment.language(at: interface)
    let heads: [Phrase] = ["ID", "Child", "Asks for", "Why", "When", "Answer"]
    try console.write(
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
      console.note(RequestText.answering(first, isOnly: open.count == 1))
    }
  }
}

struct RequestArgument: ParsableArguments {
  @Argument(help: .value("ID", "The request, as `latchkey requests` shows it; may be left out if only one waits."))
  var request: String?

  @Option(help: .value("text", "A word with the answer, which the child can read.")) var word: String = ""

  @Option(help: .value("text|json", "Write the request as JSON.")) var format: AnswerFormat = .text

  mutating func validate() throws { if let fault = TextRule.reason.fault(in: word) { throw ValidationError(fault) } }

  func answer(isApproved: Bool, minutes: Int?, at node: any NodeInterface) async throws {
    let answer = AnswerRequest(request: request, isApproved: isApproved, minutes: minutes, word: word)
    let answered: RequestListing
    do { answered = try await node.ask(Endpoints.answerRequest, answer) } catch {
      guard request == nil, error.code == .invalid else { throw error }
      let open = try await node.ask(Endpoints.getRequests, nil).filter { $0.state == .open }
      guard open.count > 1 else { throw error }
      throw TerminalFailure(.usage, RequestText.choice(of: open, isApproved: isApproved))
    }
    if format == .json { return try console.write(JSONText.pretty(answered)) }
    for sentence in await RequestText.outcome(answered, isApproved: isApproved, minutes: minutes, at: node) {
      console.note(sentence)
    }
  }
}

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

  @Option(help: .value("time", "Give this much time instead of what was asked for, such as 20 or 1h30m."))
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

struct DenySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Say no to what a child asks for.",
    discussion: "Example: latchkey deny 3f2a --word \"tomorrow\"")

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: RequestArgument

  func run() async throws { try await argument.answer(isApproved: false, minutes: nil, at: node.open()) }
}
