import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyWeb

/// The `latchkey web hosts` subcommand.
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
    // The file of another account would be one that its own process does not read.
    guard status.st_uid == geteuid() else {
      throw TerminalFailure(
        .permission, "\(folder) belongs to another account: run this as that account, without `sudo`.")
    }
    return ProxyHosts(stateFolder: folder)
  }

  /// Returns the phones that are let in; `nil` while the node does not run, whose names can be
  /// changed all the same.
  ///
  /// - Throws: `LocalAPIError` on a child's machine, which lets no phone in.
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

  /// Returns what a person does after a name was allowed.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - target: Where the proxy leads to; `nil` before the first phone.
  ///   - phones: The phones that are let in; `nil` if that is not known.
  /// - Returns: The sentences.
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

  /// Runs a body that changes the names.
  static func change(_ body: () throws(WebFault) -> Bool) throws -> Bool {
    do throws(WebFault) { return try body() } catch { throw TerminalFailure(.inputOutput, error.sentence) }
  }
}

/// The `latchkey web hosts list` subcommand.
struct WebHostsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the names that are allowed.",
    discussion: "Example: latchkey web hosts list --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let (environment, names) = (TerminalEnvironment.current, try WebHostsSubcommand.hosts(node).names)
    _ = try await WebHostsSubcommand.phones(node)
    if listing.format == .json { return try environment.console.write(JSONText.pretty(names)) }
    try environment.console.write(
      TableText.render(
        ["Name", "Pages"], wrap: [], rows: names.map { [$0, "https://\($0)/"] },
        empty: "No name of a proxy is allowed: one is allowed such as by `latchkey web hosts add pc.example.ts.net`."))
    if !names.isEmpty, let target = WebHostsSubcommand.target(node) {
      environment.console.note("The proxy leads to \(target).")
    }
  }
}

/// The `latchkey web hosts add` subcommand.
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

  @Argument(help: ArgumentHelp("The name, with a port if it is not 443.", valueName: "name"))
  var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    let phones = try await WebHostsSubcommand.phones(node)
    let isNew = try WebHostsSubcommand.change { () throws(WebFault) -> Bool in try hosts.add(name) }
    TerminalEnvironment.current.console.note(
      (isNew ? "" : "\(name) is allowed already. ")
        + WebHostsSubcommand.next(name, target: WebHostsSubcommand.target(node), phones: phones))
  }
}

/// The `latchkey web hosts remove` subcommand.
struct WebHostsRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a name of your own proxy, from the next request on.",
    discussion: "Example: latchkey web hosts remove pc.example.ts.net")

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The name, as `latchkey web hosts` lists it.", valueName: "name"))
  var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    _ = try await WebHostsSubcommand.phones(node)
    guard try WebHostsSubcommand.change({ () throws(WebFault) -> Bool in try hosts.remove(name) }) else {
      throw TerminalFailure(.unknownName, "\(name) is not allowed: `latchkey web hosts` lists the names that are.")
    }
    TerminalEnvironment.current.console.note("\(name) is refused from now on.")
  }
}
