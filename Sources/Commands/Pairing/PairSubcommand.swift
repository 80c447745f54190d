import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

struct PairSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Bring a machine into the family.",
    discussion: """
      Run `latchkey pair` on both machines and follow what it says: the parent's shows a code, the other one asks for it. \
      The code can be scanned, pasted, or read aloud and typed. `latchkey pair wizard --help` lists its options. Scripts \
      use `latchkey pair invite --json` and `latchkey pair join --code-stdin`.

      Example: latchkey pair
      """,
    subcommands: [
      PairWizardSubcommand.self, PairInviteSubcommand.self, PairJoinSubcommand.self, PairListSubcommand.self,
      PairCancelSubcommand.self,
    ], defaultSubcommand: PairWizardSubcommand.self)
}

struct PairListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pairings that are open here, without their codes.",
    discussion: "Example: latchkey pair list")

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let pairings = try await listing.node.open().ask(Endpoints.getPairings)
    if listing.format == .json { return try console.write(JSONText.pretty(pairings)) }
    let rows = pairings.map { pairing in
      [
        pairing.pairingID, pairing.part == .inviter ? "shows the code" : "joins", pairing.phase.rawValue,
        pairing.prefix.map { $0 + "…" } ?? "–", pairing.expiresInMilliseconds.map { ShownText.duration($0) } ?? "–",
        pairing.failuresLeft.map(String.init) ?? "–", pairing.childName ?? "–", pairing.peerName?.text ?? "–",
      ]
    }
    try console.write(
      TableText.render(
        ["ID", "Side", "Phase", "Typed code", "Good for", "Failures left", "For", "Other machine"], numbers: [5],
        rows: rows, empty: "No pairing is open."))
  }
}

struct PairCancelSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Close a code, or every open one.", discussion: "Example: latchkey pair cancel")

  @OptionGroup var node: NodeOptions

  @Argument(help: "The pairing's ID as `latchkey pair list` shows it; every open pairing when left out.")
  var id: String?

  func run() async throws {
    let interface = try await node.open()
    let open = id == nil ? try await interface.ask(Endpoints.getPairings).filter { $0.phase != .ended } : []
    let ids = id.map { [$0] } ?? open.map(\.pairingID)
    for id in ids {
      let ended = try await interface.ask(Endpoints.cancelPairing, id)
      if let outcome = ended.outcome, outcome != .cancelled {
        throw TerminalFailure(
          .data, "This pairing had ended before: \(ShownText.safe(ended.sentence ?? outcome.sentence))")
      }
    }
    console.note(ids.isEmpty ? "No pairing was open." : "Cancelled \(ShownText.count(ids.count, "pairing")).")
  }
}

/// The command `latchkey pair`, in full `latchkey pair wizard`.
struct PairWizardSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wizard", abstract: "Pair this machine, step by step, in the terminal.",
    discussion: """
      On a parent's machine it shows a code, on a child's it asks for one; then both show six digits to compare. Ctrl-C at \
      any point leaves both machines unpaired. Colours follow NO_COLOR.

      Example: latchkey pair
      Example: latchkey pair --for Emma
      Example: latchkey pair --plain
      """)

  @OptionGroup var node: NodeOptions

  @Option(name: .customLong("for"), help: .value("name", "Whose machine will join; asked when left out."))
  var childName: String?

  @Option(help: .value("1-15", "How long the code is good.")) var minutes = Limits.pairingMinutes.usual

  @Option(help: .value("host:port", "Where the other machine is, when it is not found by itself."))
  var peer: SocketEndpoint?

  @Flag(help: "One line an event, nothing drawn, nothing that moves: for screen readers and logs.") var plain = false

  @Option(help: .value("light|dark", "What the QR code is drawn for when there are no colours."))
  var background: BackgroundArgument?

  // Unknown arguments are collected here, so that a code given by mistake is refused without being
  // printed.
  @Argument(parsing: .allUnrecognized, help: .hidden) var rest: [String] = []

  mutating func validate() throws {
    guard rest.isEmpty else {
      throw ValidationError(
        "`latchkey pair` takes nothing like that, and a code as an argument would be visible in every process list: run "
          + "`latchkey pair` and enter the code when it asks, or see `latchkey pair --help`.")
    }
    try PairInviteSubcommand.check(minutes: minutes)
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    guard console.inputIsTerminal, console.talkIsTerminal else {
      throw TerminalFailure(
        .usage,
        "There is no terminal to ask on: run `latchkey pair` in one, or use `latchkey pair invite --json` on the parent's "
          + "machine and `latchkey pair join --code-stdin` on the other.")
    }
    let childName = try childName.map { try DeviceName($0).text }
    let scope = UndumpableScope()
    defer { withExtendedLifetime(scope) {} }
    let interface = try await node.open()
    let role = try await interface.ask(Endpoints.getStatus).role
    let look = TerminalLook(isPlain: plain, background: background, environment: environment)
    defer { console.setInput(.lines) }
    try await PairingEvents.during(console: console) { events in
      let wizard = PairingWizard(node: interface, environment: environment, events: events, look: look)
      switch role {
      case .parent:
        guard peer == nil else {
          throw TerminalFailure(
            .usage, "--peer is for the machine that joins: run `latchkey pair` here without it, and use it there.")
        }
        try await wizard.invite(minutes: minutes, name: childName)
      case .child:
        guard childName == nil else {
          throw TerminalFailure(.usage, "--for is for the parent's machine: run `latchkey pair` here without it.")
        }
        try await wizard.join(peer: peer?.description)
      }
    }
  }
}
