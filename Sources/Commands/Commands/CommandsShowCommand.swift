import ArgumentParser
import LatchkeyModel

/// The command `latchkey commands show`.
struct CommandsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one command in full.", discussion: "Example: latchkey commands show 01938a")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Argument(help: "The command's ID, or the beginning of it.")
  var id: String

  func run() async throws {
    let environment = CommandEnvironment.current
    let interface = try await node.open()
    let command = try await interface.command(id: id)
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(command))
    case .table:
      let names = try await DeviceNames(of: interface)
      let zone = environment.timeZone
      let rows = [
        ("ID", command.commandID.description), ("machine", names[command.target]),
        ("asked", CommandText.request(command.payload)), ("given", TimeText.exact(command.createdAt, zone: zone)),
        ("author", names[command.author]), ("status", CommandText.progress(command)),
        ("since", TimeText.exact(command.statusAt, zone: zone)),
      ]
      try environment.console.write(FieldsText.render(rows))
    }
  }
}
