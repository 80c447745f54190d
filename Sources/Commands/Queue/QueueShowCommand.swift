import ArgumentParser
import LatchkeyModel

/// The command `latchkey queue show`.
struct QueueShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one item that waits, in full.",
    discussion: "Example: latchkey queue show command/12 --peer \"Emma's PC\"")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: ArgumentHelp("The machine that it waits for; may be left out when one is paired.", valueName: "device"))
  var peer: String?

  @Argument(help: "The item as `latchkey queue list` names it, such as command/12.", transform: Self.readItem)
  var item: QueueItemName

  func run() async throws {
    let environment = CommandEnvironment.current
    let interface = try await node.open()
    var device = peer
    if device == nil {
      let peers = try await interface.devices()
      guard !peers.isEmpty else {
        throw CommandFailure(
          .unknownName, "No machines are paired, and nothing waits: run `latchkey pair` here and there.")
      }
      guard peers.count == 1 else {
        throw CommandFailure(.usage, "Several machines are paired: say for which one it waits with --peer.")
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
        ("since", SpanText.of(entry.ageMilliseconds) + " ago"), ("bytes", "\(entry.bytes)"),
        ("state", QueueText.state(entry)),
      ]
      if case .command(let command) = entry.content { rows.append(("command", command.commandID.description)) }
      try environment.console.write(FieldsText.render(rows))
    }
  }

  @Sendable static func readClass(_ text: String) throws -> StreamClass {
    guard let streamClass = StreamClass(word: text) else {
      throw ValidationError(
        "There is no such class: take one of \(StreamClass.allCases.map(\.word).joined(separator: ", ")).")
    }
    return streamClass
  }

  @Sendable private static func readItem(_ text: String) throws -> QueueItemName {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let streamClass = StreamClass(word: String(parts[0])), let number = UInt64(parts[1]) else {
      throw ValidationError("An item is named by its class and number, such as command/12: see `latchkey queue list`.")
    }
    return QueueItemName(streamClass: streamClass, number: number)
  }
}

/// An item as a person names it, such as `command/12`.
struct QueueItemName: Hashable, Sendable {
  var streamClass: StreamClass
  var number: UInt64
}
