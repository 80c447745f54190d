import ArgumentParser
import LatchkeyModel

/// `latchkey pair join`
struct PairJoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Join with the code that the other machine shows.",
    discussion: """
      Asks for the code, or reads one line of standard input when that is no terminal. A code is never taken as an \
      argument, where every user of this machine could read it in the list of processes.

      With --json there is one line of JSON: how it ended.

      Example: latchkey pair join
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("Where the other machine is, when it is not found by itself.", valueName: "host:port"))
  var peer: PeerAddress?

  @Flag(help: "Go on without asking whether it is the right machine; so it is when the code comes from a pipe.")
  var yes = false

  @Flag(help: "Write a line of JSON for programs.")
  var json = false

  // Everything that is not known lands here, so that a code given by mistake is refused without being repeated.
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var rest: [String] = []

  mutating func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError(
        "This takes no further argument, and a code as an argument would be visible in every process list: run "
          + "`latchkey pair join` and enter the code when it asks.")
    }
  }

  func run() async throws {
    let console = CommandEnvironment.current.console
    let interface = try await node.open()
    let asks = !yes && console.inputIsTerminal
    let code = try await readCode(console)
    let interrupts = console.interrupts()
    let started = try await interface.join(
      JoinRequest(code: code, peer: peer?.text, acceptWithoutAsking: !asks))
    console.note("Looking for the machine that shows this code …")
    let conversation = PairingConversation(node: interface, console: console, side: .joiner, asks: asks)
    let ended = try await conversation.follow(started, interrupts: interrupts)
    if json { try console.write(JSONText.line(ended)) }
    try PairingEnd(progress: ended, side: .joiner).tell(console)
  }

  private func readCode(_ console: any Console) async throws -> String {
    if console.inputIsTerminal { console.prompt("Code: ") }
    let line = await console.readLine() ?? ""
    guard line.contains(where: { !$0.isWhitespace }) else {
      throw CommandFailure(
        .noInput, "No code was given: run `latchkey pair invite` on the parent's machine and enter the code it shows.")
    }
    return line
  }
}
