import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey dashboard` subcommand.
struct DashboardSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard", abstract: "Open the family's pages in the browser.",
    discussion: """
      A parent sees each child's day, answers requests, gives time and locks; on a child's machine, the child sees its own page. \
      The pages are served on this machine to this account alone, and end ten minutes after the last one was closed.

      Example: latchkey dashboard
      Example: latchkey dashboard --print
      """)

  @OptionGroup var node: NodeOptions

  @Flag(help: "Write an address that lets one browser in within a minute, and open none.")
  var print = false

  func run() async throws { try await PagesOpening.open(node, isPrinted: print) }
}
