import ArgumentParser
import LatchkeyModel

/// `latchkey pair invite`
struct PairInviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Show a code that lets one machine join.",
    discussion: """
      Writes the code to standard output and waits for the other machine. Who joins is shown with six digits that both \
      screens show, and is let in when you say yes. Ctrl-C closes the code.

      With --json there are two lines of JSON: the open code at once, and how it ended.

      Example: latchkey pair invite --for Emma --minutes 10
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("How long the code is good.", valueName: "1-15"))
  var minutes = Limits.pairingMinutes.usual

  @Option(name: .customLong("for"), help: ArgumentHelp("Whose machine will join.", valueName: "name"))
  var childName: String?

  @Flag(help: "Let in whoever has the code, without a question.")
  var yes = false

  @Flag(help: "Write lines of JSON for programs.")
  var json = false

  mutating func validate() throws {
    let (least, most) = (Limits.pairingMinutes.least, Limits.pairingMinutes.most)
    guard (least...most).contains(minutes) else {
      throw ValidationError("A code can be good for \(least) to \(most) minutes: choose --minutes within that.")
    }
  }

  func run() async throws {
    let console = CommandEnvironment.current.console
    guard yes || console.inputIsTerminal else {
      throw CommandFailure(
        .usage,
        "There is no terminal to ask on who may join: run it in one, or add --yes to let in whoever has the code.")
    }
    let childName = try childName.map { try DeviceName($0).text }
    let interface = try await node.open()
    let interrupts = console.interrupts()
    let opened = try await interface.invite(
      InviteRequest(minutes: minutes, childName: childName, acceptWithoutAsking: yes))
    try show(opened, console: console)
    let conversation = PairingConversation(node: interface, console: console, side: .inviter, asks: !yes)
    let ended = try await conversation.follow(opened, interrupts: interrupts)
    if json { try console.write(JSONText.line(ended)) }
    try PairingEnd(progress: ended, side: .inviter).tell(console)
  }

  private func show(_ opened: PairingProgress, console: any Console) throws {
    if json {
      try console.write(JSONText.line(opened))
    } else {
      try console.write((opened.code ?? "") + "\n")
    }
    let time = opened.expiresInMilliseconds.map { ShownText.count(max(1, ($0 + 59_999) / 60_000), "minute") }
    console.note(
      "The code is good for \(time ?? ShownText.count(minutes, "minute")) and for one machine. "
        + "On the other machine run `latchkey pair join` and enter it there.")
  }
}
