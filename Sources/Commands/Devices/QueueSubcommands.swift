import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct QueueSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Look into what waits for the other machines.",
    discussion: "Example: latchkey queue",
    subcommands: [QueueListSubcommand.self, QueueShowSubcommand.self, QueueRetrySubcommand.self],
    defaultSubcommand: QueueListSubcommand.self)
}

struct QueueListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what waits, most urgent and oldest first.",
    discussion: "Example: latchkey queue list --on Emma --kind command")

  @OptionGroup var listing: ListingOptions

  @Option(on: "Only what waits for this machine.") var peer: String?

  @Option(
    name: .customLong("kind"), help: .value(QueueText.kinds.joined(separator: "|"), "Only this kind of item."),
    transform: QueueText.readKind)
  var streamClass: StreamClass?

  @Option(help: "At most this many.") var limit = 100

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let interface = try await listing.node.open()
    let entries = try await interface.ask(Endpoints.getQueue, (peer, streamClass, limit))
    if listing.format == .json { return try console.write(JSONText.pretty(entries)) }
    let names = try await DeviceNames(of: interface)
    let rows = entries.map { entry in
      [
        QueueText.name(entry), names[entry.device], QueueText.content(entry.content),
        SpanText.of(entry.ageMilliseconds) + " ago", ShownText.bytes(entry.bytes), QueueText.state(entry),
      ]
    }
    try console.write(
      TableText.render(
        ["Item", "For", "What", "Since", "Size", "State"], spare: [4], wrap: [2, 5], rows: rows,
        empty: "Nothing waits."))
  }
}

struct QueueShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one item that waits, in full.",
    discussion: "Example: latchkey queue show command 12 --on Emma")

  @OptionGroup var listing: ListingOptions

  @Option(on: "The machine that it waits for; may be left out when one is paired.") var peer: String?

  @Argument(
    help: .value(QueueText.kinds.joined(separator: "|"), "The item's kind, as `latchkey queue` shows it."),
    transform: QueueText.readKind)
  var kind: StreamClass

  @Argument(help: "The item's number, such as the 12 of “command 12”.") var number: UInt64

  func run() async throws {
    let interface = try await listing.node.open()
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
    if listing.format == .json { return try console.write(JSONText.pretty(entry)) }
    let names = try await DeviceNames(of: interface)
    var rows = [
      ("item", QueueText.name(entry)), ("for", names[entry.device]), ("what", QueueText.content(entry.content)),
      ("since", SpanText.of(entry.ageMilliseconds) + " ago"), ("size", ShownText.bytes(entry.bytes)),
      ("state", QueueText.state(entry)),
    ]
    if case .command(let command) = entry.content { rows.append(("command", command.commandID.description)) }
    try console.write(FieldsText.render(rows))
  }
}

struct QueueRetrySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try at once to reach the machines that something waits for.",
    discussion: """
      It does not wait for the outcome: `latchkey sync now --wait` does.

      Example: latchkey queue retry --on Emma
      """)

  @OptionGroup var node: NodeOptions

  @Option(on: "Only this machine.") var peer: String?

  private static func state(_ peer: PeerStatus) -> String {
    if peer.isConnected { return "connected" }
    return peer.address == nil ? "looked for; start `latchkey run` there if it is off" : "calling it now"
  }

  func run() async throws {
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

enum QueueText {
  /// The kinds of item, as people call them, most urgent first.
  static let kinds = StreamClass.allCases.map(kind)

  private static func kind(_ streamClass: StreamClass) -> String {
    switch streamClass {
    case .control: "notice"
    case .command: "command"
    case .receipt: "answer"
    case .usage: "use"
    }
  }

  @Sendable static func readKind(_ text: String) throws -> StreamClass {
    guard let match = StreamClass.allCases.first(where: { kind($0) == text.lowercased() }) else {
      throw ValidationError("There is no such kind of item: take one of \(kinds.joined(separator: ", ")).")
    }
    return match
  }

  /// Returns the name of an item, such as `command 12`.
  static func name(_ entry: QueueEntry) -> String { "\(kind(entry.streamClass)) \(entry.number)" }

  static func content(_ content: QueueEntry.Content) -> String {
    switch content {
    case .command(let command): CommandText.request(command.payload)
    case .receipt(let receipt): "answer to command \(receipt.commandID.description.prefix(13))"
    case .usage(let record) where record.sessions > 1:
      "total of \(record.sessions) sessions of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .usage(let record): "use of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .loss(let loss): "report of \(ShownText.count(loss.records, "usage record")) that had no room"
    case .control: "removal, new keys, or report of refused items"
    case .unreadable: "an item that this version cannot read"
    }
  }

  static func state(_ entry: QueueEntry) -> String {
    if entry.isInFlight { return "on its way" }
    guard let rest = entry.expiresInMilliseconds else { return "waits" }
    return "waits, expires in \(SpanText.of(rest))"
  }

  /// Returns a number of items of a class as people call them, such as `3 commands`.
  static func items(_ number: Int64, _ streamClass: StreamClass) -> String {
    guard streamClass == .usage else { return ShownText.count(number, kind(streamClass)) }
    return number == 1 ? "1 record of use" : "\(number) records of use"
  }

  /// Returns a sentence for each fate of items that left a queue undelivered.
  ///
  /// If it is verbose, this includes old counts, and counts of items whose loss has no effect.
  static func undelivered(_ queue: QueueStatus, now: Int64, isVerbose: Bool) -> [String] {
    queue.undelivered.filter { isVerbose || isNews($0, now: now) }.map { tally in
      let items = items(tally.items, queue.streamClass)
      let last =
        tally.items == 1 ? ShownText.ago(tally.lastAt, now: now) : "the last \(ShownText.ago(tally.lastAt, now: now))"
      return switch tally.fate {
      case .expired: "\(items) expired before the machine was in touch, \(last)."
      case .cancelled: "\(items) cancelled, \(last)."
      case .merged: "\(items) merged into totals because the queue was full, \(last)."
      case .refused: "\(items) refused by that machine, \(last): see the warnings of `latchkey status`."
      case .dropped: "\(items) dropped because the queue was full or the machine was unpaired, \(last)."
      }
    }
  }

  /// The time for which a loss is news.
  private static let newsMilliseconds: Int64 = 86_400_000

  private static func isNews(_ tally: QueueTally, now: Int64) -> Bool {
    switch tally.fate {
    case .cancelled, .merged: false
    case .expired, .refused, .dropped: now - tally.lastAt < newsMilliseconds
    }
  }
}
