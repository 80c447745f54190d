import ArgumentParser
import LatchkeyModel

/// The command `latchkey commands list`.
struct CommandsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List commands, newest first.",
    discussion: "Example: latchkey commands list --device \"Emma's PC\" --limit 10")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: "Only those for this machine.")
  var device: String?

  @Option(help: "At most this many.")
  var limit = 100

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let environment = CommandEnvironment.current
    let interface = try await node.open()
    let commands = try await interface.commands(device: device, limit: limit)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(commands))
    case .table:
      let names = try await DeviceNames(of: interface)
      let now = environment.now()
      let rows = commands.map { command in
        [
          command.commandID.description, names[command.target], CommandText.request(command.payload),
          command.status.rawValue, ShownText.ago(command.statusAt, now: now), command.reason ?? "",
        ]
      }
      try environment.console.write(
        TableText.render(
          ["ID", "Machine", "Asked", "Status", "Since", "Reason"], rows: rows, empty: "No commands have been given."))
    }
  }
}
