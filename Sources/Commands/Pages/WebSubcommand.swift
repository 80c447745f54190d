import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import LatchkeyWeb

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

struct WebServeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the family's pages, until the last one was closed.",
    discussion: "Example: latchkey web serve --idle 1h")

  @OptionGroup var node: NodeOptions

  @Option(help: .value("time", "How long it goes on after the last page was closed, such as 30min."))
  var idle = WaitingTime(seconds: 600)

  @Option(
    help: .value(NodeConfiguration.logLevels.joined(separator: "|"), "Log from this level on; info when not given."))
  var logLevel: String?

  @Flag(help: "If another process serves the pages already, wait for its end instead of ending.") var wait = false
  @Flag(help: .hidden) var background = false

  mutating func validate() throws {
    guard NodeConfiguration.logLevels.contains(Self.level(logLevel, isBackground: background)) else {
      throw ValidationError("The levels are \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
  }

  /// Returns the level of the log: by default, only warnings if the process was started to open the
  /// pages, since it still writes to the terminal of the person who opens them.
  static func level(_ given: String?, isBackground: Bool) -> String { given ?? (isBackground ? "warning" : "info") }

  /// Confines this process, which must have only one thread yet, to its own files.
  func confine() throws {
    let folder = node.nodeFolder
    WebConfinement.begin(try PagesOpening.place(folder, TerminalEnvironment.current), stateFolder: folder)
  }

  func run() async throws {
    let (environment, folder) = (TerminalEnvironment.current, node.nodeFolder)
    let (isBackground, isPatient) = (background, wait)
    let place = try PagesOpening.place(folder, environment)
    // The process keeps pairing codes, links and cookies.
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

  /// Gives up standard error, since nobody waits for the end of a process in the background.
  private static func leaveTerminal() {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0 else { return }
    dup2(null, STDERR_FILENO)
    close(null)
  }
}

struct WebHostsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts", abstract: "Names under which your own proxy leads phones to the pages.",
    discussion: """
      Phones open the pages at the address of this machine. A proxy of your own, such as `tailscale serve` or nginx, gives them \
      a name beside it, and the pages answer to it once it is allowed here. Phones sign in there as they do at home.

      Example: latchkey web hosts
      """, subcommands: [WebHostsListSubcommand.self, WebHostsAddSubcommand.self, WebHostsRemoveSubcommand.self],
    defaultSubcommand: WebHostsListSubcommand.self)

  /// Returns the names of a node that this account runs.
  static func hosts(_ node: NodeOptions) throws -> ProxyHosts {
    let folder = node.nodeFolder
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw TerminalFailure(
        .unavailable, "There is no node in \(folder): run `latchkey init` first, or name its folder with --state-dir.")
    }
    // The process of this account does not read another account's file.
    guard status.st_uid == geteuid() else {
      throw TerminalFailure(
        .permission, "\(folder) belongs to another account: run this as that account, without `sudo`.")
    }
    return ProxyHosts(stateFolder: folder)
  }

  /// Returns the phones that are let in; `nil` while the node does not run.
  ///
  /// Throws `LocalAPIError` on a child's machine, which lets no phone in.
  static func phones(_ node: NodeOptions) async throws -> [BrowserListing]? {
    do { return try await node.open().ask(Endpoints.getBrowsers) } catch {
      if (error as? LocalAPIError)?.code == .wrongRole { throw error }
      return nil
    }
  }

  /// Returns where the proxy leads to; `nil` before the first phone.
  static func target(_ node: NodeOptions) -> String? {
    PhonePlace.read(in: node.nodeFolder).map { "https://127.0.0.1:\($0.port)" }
  }

  /// Returns what a person does after a name was allowed; the proxy leads to `target`.
  static func next(_ name: String, target: String?, phones: [BrowserListing]?) -> String {
    let allowed = "Phones may come by https://\(name)/."
    guard let target else {
      return "\(allowed) The port to which the proxy leads is chosen with the first phone: let one in with "
        + "`latchkey dashboard --phone`, and `latchkey web hosts` then shows it."
    }
    return "\(allowed) Have the proxy pass that name on to \(target)."
      + (phones?.isEmpty == true ? " No phone is let in yet: `latchkey dashboard --phone` lets one in." : "")
  }

  /// Returns a typed name as browsers send it.
  static func name(_ typed: String) throws -> String {
    guard let name = ProxyHosts.name(typed) else {
      throw ValidationError(
        "A name is one of a host, such as pc.example.ts.net, with its port if that is not 443, and without https://.")
    }
    return name
  }

  static func change(_ body: () throws(WebFault) -> Bool) throws -> Bool {
    do throws(WebFault) { return try body() } catch { throw TerminalFailure(.inputOutput, error.sentence) }
  }
}

struct WebHostsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the names that are allowed.",
    discussion: "Example: latchkey web hosts list --format json")

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let (environment, names) = (TerminalEnvironment.current, try WebHostsSubcommand.hosts(listing.node).names)
    _ = try await WebHostsSubcommand.phones(listing.node)
    if listing.format == .json { return try environment.console.write(JSONText.pretty(names)) }
    try environment.console.write(
      TableText.render(
        ["Name", "Pages"], wrap: [], rows: names.map { [$0, "https://\($0)/"] },
        empty: "No name of a proxy is allowed: one is allowed such as by `latchkey web hosts add pc.example.ts.net`."))
    if !names.isEmpty, let target = WebHostsSubcommand.target(listing.node) {
      environment.console.note("The proxy leads to \(target).")
    }
  }
}

struct WebHostsAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Allow a name of your own proxy.",
    discussion: """
      The proxy takes browsers by https under this name, and passes it on as `Host` to the pages for phones, by https on \
      127.0.0.1 at the port that `latchkey web hosts` shows. To be sure that it reaches these pages, it can check their \
      certificate: web/authority.pem in the node's folder has the authority's certificate beside its key, of which the proxy \
      gets the certificate alone, and the first line of web/place the name. Everybody who reaches the proxy can then try to \
      sign in.

      Example: latchkey web hosts add pc.example.ts.net
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("name", "The name, with a port if it is not 443.")) var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    let phones = try await WebHostsSubcommand.phones(node)
    let isNew = try WebHostsSubcommand.change { () throws(WebFault) -> Bool in try hosts.add(name) }
    console.note(
      (isNew ? "" : "\(name) is allowed already. ")
        + WebHostsSubcommand.next(name, target: WebHostsSubcommand.target(node), phones: phones))
  }
}

struct WebHostsRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a name of your own proxy, from the next request on.",
    discussion: "Example: latchkey web hosts remove pc.example.ts.net")

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("name", "The name, as `latchkey web hosts` lists it.")) var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    _ = try await WebHostsSubcommand.phones(node)
    guard try WebHostsSubcommand.change({ () throws(WebFault) -> Bool in try hosts.remove(name) }) else {
      throw TerminalFailure(.unknownName, "\(name) is not allowed: `latchkey web hosts` lists the names that are.")
    }
    console.note("\(name) is refused from now on.")
  }
}
