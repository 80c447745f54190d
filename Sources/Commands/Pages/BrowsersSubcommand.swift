import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyWeb

struct BrowsersSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browsers", abstract: "Phones whose browsers see the family's pages.",
    discussion: """
      A parent lets a phone in at its own machine. The phone trusts that machine's certificate, signs in with a code, and may do \
      what a parent does from day to day, or only look.

      Example: latchkey browsers
      """, subcommands: [BrowsersListSubcommand.self, BrowsersAddSubcommand.self, BrowsersRemoveSubcommand.self],
    defaultSubcommand: BrowsersListSubcommand.self)
}

struct BrowsersListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the phones that are let in: what each may do, and when it was seen last.",
    discussion: "Example: latchkey browsers list --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let browsers = try await node.open().ask(Endpoints.getBrowsers)
    if listing.format == .json { return try console.write(JSONText.pretty(browsers)) }
    try console.write(
      TableText.render(
        ["Name", "May", "Let in", "Last seen", "Address"], wrap: [0],
        rows: browsers.map { browser in
          [
            browser.label, browser.right.rawValue, TimeText.short(browser.madeAt, zone: environment.timeZone),
            TimeText.short(browser.lastSeen, zone: environment.timeZone), browser.address,
          ]
        },
        empty: "No phone is let in: `latchkey browsers add` lets one in."))
  }
}

struct BrowsersAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Open the page that lets a phone in.",
    discussion: """
      The same page is opened by `latchkey dashboard --phone`. It shows a code that leads the phone to the certificate, the \
      digits to compare, and a code that signs it in once you have said yes.

      Example: latchkey browsers add
      """)

  @OptionGroup var node: NodeOptions

  @Flag(help: "Write an address that opens the page within a minute, and open none.")
  var print = false

  func run() async throws { try await PagesOpening.open(node, isPrinted: print, page: WebInvitation.phones) }
}

struct BrowsersRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Sign a phone out at once, such as a lost one.",
    discussion: """
      What it has open goes blank at once. With the last phone, the certificate that phones trust is erased.

      Example: latchkey browsers remove "Anna's phone"
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The phone's name.", valueName: "name"), completion: CompletionNames.browsers)
  var name: String

  func run() async throws {
    let rest = try await node.open().ask(Endpoints.deleteBrowser, name)
    console.note(rest.isEmpty ? "“\(name)” is signed out. No phone is let in any more." : "“\(name)” is signed out.")
  }
}
