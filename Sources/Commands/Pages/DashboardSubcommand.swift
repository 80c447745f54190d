import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import LatchkeyWeb
import Synchronization

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

  @Flag(help: "Write an address that lets one browser in within a minute, and open none.") var print = false
  @Flag(help: "Open the page that lets a phone in.") var phone = false

  func run() async throws {
    try await PagesOpening.open(node, isPrinted: print, page: phone ? WebInvitation.phones : WebInvitation.first)
  }
}

/// Opens the pages in a browser by a one-time link, and starts their process if there is none.
enum PagesOpening {
  /// The time for which a process that was started may take until it gives links, in milliseconds.
  private static let patience: Int64 = 20_000

  /// Opens the pages of a node, beginning with `page`, or only writes their address.
  static func open(_ node: NodeOptions, isPrinted: Bool, page: String = WebInvitation.first) async throws {
    let environment = TerminalEnvironment.current
    guard geteuid() != 0 else {
      throw TerminalFailure(
        .permission,
        "The pages are shown to the account that opens them, and no browser should run as root: run this without `sudo`."
      )
    }
    let folder = node.nodeFolder
    let place = try place(folder, environment)
    let invitation = try await invitation(place, page, folder, environment)
    if isPrinted { return try environment.console.write(invitation.address + "\n") }
    guard let opener = program("xdg-open", environment) else {
      environment.console.note(
        "This machine has no `xdg-open`, which opens the browser that people have chosen: install xdg-utils, or open this "
          + "address within a minute.")
      return try environment.console.write(invitation.address + "\n")
    }
    do { _ = try ChildProcess.background([opener, invitation.file]) } catch {
      throw TerminalFailure(
        .unavailable, "The browser could not be started (\(error)): open the address of `latchkey dashboard --print`.")
    }
    environment.console.note(
      "The pages open in your browser. If nothing opens, `latchkey dashboard --print` writes an address to open by hand."
    )
  }

  static func place(_ folder: String, _ environment: TerminalEnvironment) throws -> WebPlace {
    var place = try WebPlace(ofNodeIn: folder, runtimeFolder: environment.variables["XDG_RUNTIME_DIR"])
    place.language = environment.language
    return place
  }

  /// Returns a link of the process that serves at a place, which is started if there is none.
  private static func invitation(
    _ place: WebPlace, _ page: String, _ folder: String, _ environment: TerminalEnvironment
  ) async throws -> WebInvitation {
    if let invitation = WebInvitation.ask(place, page: page) { return invitation }
    let own = ProcFile.link("/proc/self/exe").flatMap { access($0, X_OK) == 0 ? $0 : nil } ?? "/usr/bin/latchkey"
    let served = try ChildProcess.background([own, "web", "--background", "--state-dir", folder])
    let ended = Ended()
    // Its exit is awaited beside the question, and the wait cannot be cancelled.
    Task { ended.set(await served.wait()) }
    let deadline = environment.uptime() + patience
    while environment.uptime() < deadline {
      // A process that ended has said why, or another process serves at the place.
      let exit = ended.exit
      if let invitation = WebInvitation.ask(place, page: page) { return invitation }
      if let exit, exit.shellStatus != 0 { throw TerminalFailure(exitStatus: exit.shellStatus, sentence: nil) }
      try await environment.pause(.milliseconds(20))
    }
    throw TerminalFailure(
      .unavailable, "The pages were not there in time: see what `latchkey web` says, and try again.")
  }

  /// Returns the path of a program in the folders of PATH; `nil` if there is none.
  private static func program(_ name: String, _ environment: TerminalEnvironment) -> String? {
    let folders = (environment.variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// The exit of a program, once it has one.
  private final class Ended: Sendable {
    private let state = Mutex<ProgramExit?>(nil)

    var exit: ProgramExit? { state.withLock { $0 } }

    func set(_ exit: ProgramExit) { state.withLock { $0 = exit } }
  }
}

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

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let browsers = try await listing.node.open().ask(Endpoints.getBrowsers)
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

  @Flag(help: "Write an address that opens the page within a minute, and open none.") var print = false

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

  @Argument(help: .value("name", "The phone's name."), completion: CompletionNames.browsers) var name: String

  func run() async throws {
    let rest = try await node.open().ask(Endpoints.deleteBrowser, name)
    console.note(rest.isEmpty ? "“\(name)” is signed out. No phone is let in any more." : "“\(name)” is signed out.")
  }
}
