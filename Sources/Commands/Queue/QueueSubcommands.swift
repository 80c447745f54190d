import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey queue` subcommand.
struct QueueSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Look into what waits for the other machines.",
    discussion: "Example: latchkey queue",
    subcommands: [QueueListSubcommand.self, QueueShowSubcommand.self, QueueRetrySubcommand.self],
    defaultSubcommand: QueueListSubcommand.self)
}

/// The `latchkey queue list` subcommand.
struct QueueListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what waits, most urgent and oldest first.",
    discussion: "Example: latchkey queue list --on Emma --kind command")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp("Only what waits for this machine.", valueName: "machine"), completion: CompletionNames.devices)
  var peer: String?

  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Only this kind of item.", valueName: QueueText.kinds.joined(separator: "|")),
    transform: QueueText.readKind)
  var streamClass: StreamClass?

  @Option(help: "At most this many.")
  var limit = 100

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    let entries = try await interface.ask(Endpoints.getQueue, (peer, streamClass, limit))
    if listing.format == .json { return try environment.console.write(JSONText.pretty(entries)) }
    let names = try await DeviceNames(of: interface)
    let rows = entries.map { entry in
      [
        QueueText.name(entry), names[entry.device], QueueText.content(entry.content),
        SpanText.of(entry.ageMilliseconds) + " ago", ShownText.bytes(entry.bytes), QueueText.state(entry),
      ]
    }
    try environment.console.write(
      TableText.render(
        ["Item", "For", "What", "Since", "Size", "State"], spare: [4], wrap: [2, 5], rows: rows,
        empty: "Nothing waits."))
  }
}

/// The `latchkey queue show` subcommand.
struct QueueShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one item that waits, in full.",
    discussion: "Example: latchkey queue show command 12 --on Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp("The machine that it waits for; may be left out when one is paired.", valueName: "machine"),
    completion: CompletionNames.devices)
  var peer: String?

  @Argument(
    help: ArgumentHelp(
      "The item's kind, as `latchkey queue` shows it.", valueName: QueueText.kinds.joined(separator: "|")),
    transform: QueueText.readKind)
  var kind: StreamClass

  @Argument(help: "The item's number, such as the 12 of “command 12”.")
  var number: UInt64

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    var device = peer
    if device == nil {
      let peers = try await interface.ask(Endpoints.getDevices)
      guard !peers.isEmpty else {
        throw TerminalFailure(
          .unknownName, "No machines are paired, and nothing waits: run `latchkey pair` here and there.")
      }
      guard peers.count == 1 else {
        throw TerminalFailure(.usage, "Several machines are paired: say for which one it waits with --on.")
      }
      device = peers.first?.device.deviceID.description
    }
    let entry = try await interface.ask(Endpoints.getQueueEntry, (device ?? "", kind, number))
    if listing.format == .json { return try environment.console.write(JSONText.pretty(entry)) }
    let names = try await DeviceNames(of: interface)
    var rows = [
      ("item", QueueText.name(entry)), ("for", names[entry.device]), ("what", QueueText.content(entry.content)),
      ("since", SpanText.of(entry.ageMilliseconds) + " ago"), ("size", ShownText.bytes(entry.bytes)),
      ("state", QueueText.state(entry)),
    ]
    if case .command(let command) = entry.content { rows.append(("command", command.commandID.description)) }
    try environment.console.write(FieldsText.render(rows))
  }
}

/// The `latchkey queue retry` subcommand.
struct QueueRetrySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try at once to reach the machines that something waits for.",
    discussion: """
      It does not wait for the outcome: `latchkey sync now --wait` does.

      Example: latchkey queue retry --on Emma
      """)

  @OptionGroup var node: NodeOptions

  @Option(
    name: .customLong("on"), help: ArgumentHelp("Only this machine.", valueName: "machine"),
    completion: CompletionNames.devices)
  var peer: String?

  private static func state(_ peer: PeerStatus) -> String {
    if peer.isConnected { return "connected" }
    return peer.address == nil ? "looked for; start `latchkey run` there if it is off" : "calling it now"
  }

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let peers = try await node.open().ask(Endpoints.syncNow, peer)
    guard !peers.isEmpty else {
      throw TerminalFailure(.unknownName, "No machines are paired: run `latchkey pair` here and on the other machine.")
    }
    for peer in peers {
      try console.say(
        "\(ShownText.quoted(peer.device.name)): \(Self.state(peer)), waiting for it: \(StatusText.waiting(peer.queues))"
      )
    }
  }
}
