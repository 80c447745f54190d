import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyWeb

/// The `latchkey dashboard` subcommand.
struct DashboardSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard", abstract: "Open the family's pages in the browser.",
    discussion: """
      A parent sees each child's day, answers requests, gives time and locks; on a child's machine, the child sees its own page. \
      The pages are served on this machine to this account alone, and end ten minutes after the last one was closed.

      Example: latchkey dashboard
      Example: latchkey dashboard --print
      Example: latchkey dashboard --phone
      """)

  @OptionGroup var node: NodeOptions

  @Flag(help: "Write an address that lets one browser in within a minute, and open none.")
  var print = false

  @Flag(help: "Open the page that lets a phone in.")
  var phone = false

  func run() async throws {
    try await PagesOpening.open(node, isPrinted: print, page: phone ? WebInvitation.phones : WebInvitation.first)
  }
}
