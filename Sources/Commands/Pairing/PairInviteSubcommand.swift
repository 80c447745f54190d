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

  @Option(help: ArgumentHelp("How long the code is good.", valueName: "1-15"))
  var minutes = Limits.pairingMinutes.usual

  @Option(name: .customLong("for"), help: ArgumentHelp("Whose machine will join.", valueName: "name"))
  var childName: String?

  @Flag(help: "Let in whoever has the code, without a question.")
  var yes = false

  @Flag(help: "Write lines of JSON for programs, and read their answers.")
  var json = false

  mutating func validate() throws { try Self.check(minutes: minutes) }

  /// Throws a `ValidationError` unless the time of a code is in its range.
  static func check(minutes: Int) throws {
    let (least, most) = (Limits.pairingMinutes.least, Limits.pairingMinutes.most)
    guard (least...most).contains(minutes) else {
      throw ValidationError("A code can be good for \(least) to \(most) minutes: choose --minutes within that.")
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let console = environment.console
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
