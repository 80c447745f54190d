import ArgumentParser
import LatchkeyModel

/// The command `latchkey queue list`.
struct QueueListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what waits, most urgent and oldest first.",
    discussion: "Example: latchkey queue list --peer \"Emma's PC\" --class command")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: ArgumentHelp("Only what waits for this machine.", valueName: "device"))
  var peer: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("Only items of this class.", valueName: "control|command|receipt|usage"),
    transform: QueueShowCommand.readClass)
  var streamClass: StreamClass?

  @Option(help: "At most this many.")
  var limit = 100

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let environment = CommandEnvironment.current
    let interface = try await node.open()
    let entries = try await interface.queue(device: peer, streamClass: streamClass, limit: limit)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(entries))
    case .table:
      let names = try await DeviceNames(of: interface)
      let rows = entries.map { entry in
        [
          "\(entry.streamClass.word)/\(entry.number)", names[entry.device], QueueText.content(entry.content),
          SpanText.of(entry.ageMilliseconds) + " ago", "\(entry.bytes)", QueueText.state(entry),
        ]
      }
      try environment.console.write(
        TableText.render(
          ["Item", "For", "What", "Since", "Bytes", "State"], spare: [4, 3], rows: rows, empty: "Nothing waits."))
    }
  }
}
