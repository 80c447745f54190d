import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import LatchkeyWeb

/// The `latchkey web` subcommand.
struct WebSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Serve the family's pages to this account's browser.",
    discussion: """
      `latchkey dashboard` and `latchkey me --web` start it where it does not run yet, and open a page. It listens on the \
      loopback interface, takes connections of this account alone, and ends by itself after the last page was closed. With a \
      phone that was let in (`latchkey browsers`), it goes on, and listens for it in the home's network as well. The package's \
      user service `latchkey-web` runs it for that.

      Example: latchkey web --idle 1h
      """, subcommands: [WebServeSubcommand.self, WebHostsSubcommand.self], defaultSubcommand: WebServeSubcommand.self)
}

/// The `latchkey web serve` subcommand.
struct WebServeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the family's pages, until the last one was closed.",
    discussion: "Example: latchkey web serve --idle 1h")

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("How long it goes on after the last page was closed, such as 30min.", valueName: "time"))
  var idle = WaitingTime(seconds: 600)

  @Option(
    help: ArgumentHelp(
      "Log from this level on; info when not given.", valueName: NodeConfiguration.logLevels.joined(separator: "|")))
  var logLevel: String?

  @Flag(help: "If another process serves the pages already, wait for its end instead of ending.")
  var wait = false

  @Flag(help: .hidden)
  var background = false

  mutating func validate() throws {
    guard NodeConfiguration.logLevels.contains(Self.level(logLevel, isBackground: background)) else {
      throw ValidationError("The levels are \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
  }

  /// Returns the level from which on a process logs.
  ///
  /// One in the background still writes to the terminal of the person who opens the pages, for whom
  /// only warnings are. A service logs all that is worth knowing.
  ///
  /// - Parameters:
  ///   - given: What was typed; `nil` for nothing.
  ///   - isBackground: Whether it was started to open the pages.
  /// - Returns: The level.
  static func level(_ given: String?, isBackground: Bool) -> String { given ?? (isBackground ? "warning" : "info") }

  /// Confines this process to its own files, which the kernel does for all of its threads if there
  /// is only one yet.
  func confine() throws {
    let folder = node.nodeFolder
    WebConfinement.begin(try PagesOpening.place(folder, TerminalEnvironment.current), stateFolder: folder)
  }

  func run() async throws {
    let (environment, folder, isBackground, isPatient) = (
      TerminalEnvironment.current, node.nodeFolder, background, wait
    )
    let place = try PagesOpening.place(folder, environment)
    // It keeps pairing codes, links and cookies.
    let scope = UndumpableScope()
    defer { withExtendedLifetime(scope) {} }
    let level = Self.level(logLevel, isBackground: isBackground)
    let server = WebServer(
      place, logger: NodeConfiguration(stateFolder: folder, logLevel: level).logger, idle: Int64(idle.seconds) * 1_000,
      phones: PhoneAccess(stateFolder: folder) { cookie, key in
        do throws(NodeUnavailable) {
          return try await ControlClient.open(stateFolder: folder, browser: cookie, key: key)
        } catch { throw LocalAPIError(.timeout, error.description) }
      }
    ) { key in
      do {
        guard let key else { return try await environment.openNode(folder) }
        return try await environment.openOnce(folder, key)
      } catch let error as NodeUnavailable {
        throw LocalAPIError(.timeout, error.description)
      }
    }
    try await environment.runUntilInterrupted {
      try await server.run(isPatient: isPatient) { if isBackground { Self.leaveTerminal() } }
    }
  }

  /// Gives up standard error: who has started this process in the background does not wait for its
  /// end.
  private static func leaveTerminal() {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0 else { return }
    dup2(null, STDERR_FILENO)
    close(null)
  }
}
