import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

struct PairInviteSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Show a code that lets one machine join.",
    discussion: """
      Writes the code to standard output and waits for the other machine. Who joins is shown with six digits that both \
      screens show, and is let in when you say yes. Ctrl-C closes the code.

      With --json every event is one JSON object a line: `code`, `request`, `withdrawn`, `failure`, and `result` as the \
      last. A request is then accepted by a line on standard input that is exactly its six digits; any other line, and \
      the end of the input, refuses it.

      Example: latchkey pair invite --for Emma --minutes 10
      Example: latchkey pair invite --json --yes
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: .value("1-15", "How long the code is good.")) var minutes = Limits.pairingMinutes.usual

  @Option(name: .customLong("for"), help: .value("name", "Whose machine will join.")) var childName: String?

  @Flag(help: "Let in whoever has the code, without a question.") var yes = false
  @Flag(help: "Write lines of JSON for programs, and read their answers.") var json = false

  mutating func validate() throws { try Self.check(minutes: minutes) }

  static func check(minutes: Int) throws {
    let (least, most) = (Limits.pairingMinutes.least, Limits.pairingMinutes.most)
    guard (least...most).contains(minutes) else {
      throw ValidationError("A code can be good for \(least) to \(most) minutes: choose --minutes within that.")
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    guard yes || json || console.inputIsTerminal else {
      throw TerminalFailure(
        .usage,
        "There is no terminal to ask on who may join: run it in one, add --json to answer by the six digits, or add --yes "
          + "to let in whoever has the code.")
    }
    let childName = try childName.map { try DeviceName($0).text }
    let scope = UndumpableScope()
    defer { withExtendedLifetime(scope) {} }
    let interface = try await node.open()
    try await PairingEvents.during(console: console) { events in
      let opened = try await interface.ask(
        Endpoints.invite, InviteRequest(minutes: minutes, childName: childName, acceptWithoutAsking: yes))
      if !json { try show(opened, console: console) }
      var conversation = await PairingConversation(
        opened, node: interface, environment: environment, events: events,
        consent: yes ? .beforehand : json ? .digitLine : .person,
        style: json ? .json(question: "To accept, enter its six digits: ") : .lines)
      try await conversation.follow().tell(console)
    }
  }

  private func show(_ opened: PairingProgress, console: any Console) throws {
    try console.write((opened.code ?? "") + "\n")
    let time = opened.expiresInMilliseconds.map(PairingView.time)
    console.note(
      "The code is good for \(time ?? ShownText.count(minutes, "minute")) and for one machine. "
        + "On the other machine run `latchkey pair join` and enter it there.")
    if let typed = opened.typedCode { console.note("To type instead of paste: \(typed)") }
  }
}

struct PairJoinSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Join with the code that the other machine shows.",
    discussion: """
      Asks for the code, the long or the short one, or reads it from standard input, where the long one may stand in \
      several lines. A code is never taken as an argument, where every user of this machine could read it in the list of processes.

      With --json every event is one JSON object a line: `request`, and `result` as the last.

      Example: latchkey pair join
      Example: latchkey pair join --code-stdin --accept-digits 123456 < code.txt
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: .value("host:port", "Where the other machine is, when it is not found by itself."))
  var peer: SocketEndpoint?

  @Flag(help: "Read the code from standard input, without a question.") var codeStdin = false
  @Option(help: .value("123456", "Go on only if the six digits are these.")) var acceptDigits: String?

  @Flag(help: "Go on without asking whether it is the right machine; so it is when the code comes from a pipe.")
  var yes = false

  @Flag(help: "Write lines of JSON for programs.") var json = false

  // Unknown arguments are collected here, so that a code given by mistake is refused without being
  // repeated.
  @Argument(parsing: .allUnrecognized, help: .hidden) var rest: [String] = []

  mutating func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError(
        "This takes no further argument, and a code as an argument would be visible in every process list: run "
          + "`latchkey pair join` and enter the code when it asks.")
    }
    if let digits = acceptDigits {
      let plain = digits.filter { $0 != " " }
      guard plain.utf8.count == 6, plain.utf8.allSatisfy(\.isDigit) else {
        throw ValidationError(
          "The digits to accept are six, such as 123456: give --accept-digits what the screen shows.")
      }
      guard !yes else { throw ValidationError("--yes and --accept-digits say different things: give one of them.") }
      acceptDigits = plain
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let scope = UndumpableScope()
    defer { withExtendedLifetime(scope) {} }
    let interface = try await node.open()
    // Checked before the question, since a parent's machine cannot use a code.
    if let status = try? await interface.ask(Endpoints.getStatus), status.role == .parent {
      throw LocalAPIError.joinOnParent
    }
    let consent: PairingConsent =
      if let acceptDigits { .digits(acceptDigits) } else { yes || !console.inputIsTerminal ? .beforehand : .person }
    let code = try await readCode(console)
    try await PairingEvents.during(console: console) { events in
      let style = json ? PairingView.Style.json(question: "Accept? [y/N] ") : .lines
      let started: PairingProgress
      do {
        started = try await interface.ask(
          Endpoints.join, JoinRequest(code: code, peer: peer?.description, acceptWithoutAsking: consent == .beforehand))
      } catch let error as LocalAPIError {
        if error.code == .typo {
          try PairingView(console: console, style: style).result(.typo, ShownText.safe(error.message))
        }
        throw error
      }
      var conversation = await PairingConversation(
        started, node: interface, environment: environment, events: events, consent: consent, style: style)
      try await conversation.follow().tell(console)
    }
  }

  private func readCode(_ console: any Console) async throws -> String {
    let asks = console.inputIsTerminal && !codeStdin
    if asks { console.prompt("Code: ") }
    var code = CodeInput()
    while let line = await console.readLine(), !code.takes(line, leaves: asks) {
      guard asks else { continue }
      // Nothing at all is no code.
      if code.text.isEmpty { break }
      console.prompt(CodeInput.goesOn + " Code: ")
    }
    guard !code.text.isEmpty else {
      throw TerminalFailure(
        .noInput, "No code was given: run `latchkey pair` on the parent's machine and enter the code it shows.")
    }
    return code.text
  }
}
