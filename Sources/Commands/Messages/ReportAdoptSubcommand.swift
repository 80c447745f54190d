import ArgumentParser
import LatchkeyModel

/// The `latchkey report adopt` subcommand.
struct ReportAdoptSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Take over the rules that a child's machine says it holds.",
    discussion: """
      For a parent's machine that was restored from a backup and has lost what was set since. `latchkey apps list` and \
      `latchkey settings show` say what differs. Look at it first: it is that machine's word.

      Example: latchkey report adopt --on "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    help: ArgumentHelp("The child's machine, or the child.", valueName: "machine"), completion: CompletionNames.devices)
  var on: String

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let adopted = try await node.open().adopt(device: on)
    if listing.format == .json { return try console.write(JSONText.pretty(adopted)) }
    let things = adopted.map { ShownText.safe($0.subject) }
    console.note(
      things.isEmpty
        ? "There is nothing to take over: both machines show the same."
        : "Taken over as that machine holds it: \(things.joined(separator: ", ")).")
  }
}
