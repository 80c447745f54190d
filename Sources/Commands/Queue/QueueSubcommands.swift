import ArgumentParser
import LatchkeyModel

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
    discussion: "Example: latchkey queue list --peer Emma --class command")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    help: ArgumentHelp("Only what waits for this machine.", valueName: "machine"), completion: CompletionNames.devices)
  var peer: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("Only items of this class.", valueName: "control|command|receipt|usage"),
    transform: QueueItemName.readClass)
  var streamClass: StreamClass?

  @Option(help: "At most this many.")
  var limit = 100

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    let entries = try await interface.queue(device: peer, streamClass: streamClass, limit: limit)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(entries))
    case .table:
      let names = try await DeviceNames(of: interface)
      let rows = entries.map { entry in
        [
          "\(entry.streamClass.word)/\(entry.number)", names[entry.device], QueueText.content(entry.content),
          SpanText.of(entry.ageMilliseconds) + " ago", ShownText.bytes(entry.bytes), QueueText.state(entry),
        ]
      }
      try environment.console.write(
        TableText.render(
          ["Item", "For", "What", "Since", "Size", "State"], spare: [4], wrap: [2, 5], rows: rows,
          empty: "Nothing waits."))
    }
  }
}

/// The `latchkey queue show` subcommand.
struct QueueShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one item that waits, in full.",
    discussion: "Example: latchkey queue show command/12 --peer Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    help: ArgumentHelp("The machine that it waits for; may be left out when one is paired.", valueName: "machine"),
    completion: CompletionNames.devices)
  var peer: String?

  @Argument(help: "The item as `latchkey queue list` names it, such as command/12.", transform: QueueItemName.read)
  var item: QueueItemName

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    var device = peer
    if device == nil {
      let peers = try await interface.devices()
      guard !peers.isEmpty else {
        throw TerminalFailure(
          .unknownName, "No machines are paired, and nothing waits: run `latchkey pair` here and there.")
      }
      guard peers.count == 1 else {
        throw TerminalFailure(.usage, "Several machines are paired: say for which one it waits with --peer.")
      }
      device = peers.first?.device.deviceID.description
    }
    let entry = try await interface.queueEntry(
      device: device ?? "", streamClass: item.streamClass, number: item.number)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(entry))
    case .table:
      let names = try await DeviceNames(of: interface)
      var rows = [
        ("item", "\(entry.streamClass.word)/\(entry.number)"), ("for", names[entry.device]),
        ("what", QueueText.content(entry.content)),
        ("since", SpanText.of(entry.ageMilliseconds) + " ago"), ("size", ShownText.bytes(entry.bytes)),
        ("state", QueueText.state(entry)),
      ]
      if case .command(let command) = entry.content { rows.append(("command", command.commandID.description)) }
      try environment.console.write(FieldsText.render(rows))
    }
  }
}

/// The `latchkey queue retry` subcommand.
struct QueueRetrySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try at once to reach the machines that something waits for.",
    discussion: """
      It does not wait for the outcome: `latchkey sync now --wait` does.

      Example: latchkey queue retry --peer Emma
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("Only this machine.", valueName: "machine"), completion: CompletionNames.devices)
  var peer: String?

  private static func state(_ peer: PeerStatus) -> String {
    if peer.isConnected { return "connected" }
    return peer.address == nil ? "looked for; start `latchkey run` there if it is off" : "calling it now"
  }

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let peers = try await node.open().syncNow(device: peer)
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

/// An item as a person names it, such as `command/12`.
struct QueueItemName: Hashable, Sendable {
  var streamClass: StreamClass
  var number: UInt64

  @Sendable static func readClass(_ text: String) throws -> StreamClass {
    guard let streamClass = StreamClass(word: text) else {
      throw ValidationError(
        "There is no such class: take one of \(StreamClass.allCases.map(\.word).joined(separator: ", ")).")
    }
    return streamClass
  }

  @Sendable static func read(_ text: String) throws -> QueueItemName {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let streamClass = StreamClass(word: String(parts[0])), let number = UInt64(parts[1]) else {
      throw ValidationError("An item is named by its class and number, such as command/12: see `latchkey queue list`.")
    }
    return QueueItemName(streamClass: streamClass, number: number)
  }
}
