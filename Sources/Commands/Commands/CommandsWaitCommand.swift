import ArgumentParser
import LatchkeyModel

/// The command `latchkey commands wait`.
struct CommandsWaitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a command has been executed.",
    discussion: """
      Writes one line with the state now in force and exits with 0; with 75 when the time is up, and with 65 when the \
      command failed or will not be executed.

      Example: latchkey commands wait 01938a --timeout 30
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: ArgumentHelp("Wait at most this long.", valueName: "seconds"))
  var timeout = 60

  @Argument(help: "The command's ID, or the beginning of it.")
  var id: String

  mutating func validate() throws {
    guard (1...86_400).contains(timeout) else {
      throw ValidationError("The time to wait must be 1 to 86,400 seconds.")
    }
  }

  func run() async throws {
    let command = try await CommandWaiter(node: node.open()).wait(id, seconds: timeout)
    try CommandEnd.tell(command, id: id, format: listing.format, seconds: timeout)
  }
}
