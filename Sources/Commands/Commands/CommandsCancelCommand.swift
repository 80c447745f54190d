import ArgumentParser
import LatchkeyModel

/// The command `latchkey commands cancel`.
struct CommandsCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Take back a command that the other machine has not stored yet.",
    discussion: "Example: latchkey commands cancel 01938a")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Argument(help: "The command's ID, or the beginning of it.")
  var id: String

  func run() async throws {
    let console = CommandEnvironment.current.console
    let command = try await node.open().cancelCommand(id: id)
    guard command.status == .cancelled else {
      throw CommandFailure(.data, "It is too late to cancel: the command is \(CommandText.progress(command)).")
    }
    if listing.format == .json { return try console.write(JSONText.pretty(command)) }
    console.note("The command \(command.commandID) is cancelled: the other machine will not see it.")
  }
}
