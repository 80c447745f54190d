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
      """,
    subcommands: [WebHostsListSubcommand.self, WebHostsAddSubcommand.self, WebHostsRemoveSubcommand.self],
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
    if listing.format == .json { return try environment.console.write(JSONText.pretty(names)) }
    try environment.console.write(
      TableText.render(
        ["Name", "Pages"], wrap: [], rows: names.map { [$0, "https://\($0)/"] },
        empty: "No name of a proxy is allowed: `latchkey web hosts add NAME` allows one."))
  }
}

/// The `latchkey web hosts add` subcommand.
struct WebHostsAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Allow a name of your own proxy.",
    discussion: """
      The proxy takes browsers by https under this name, passes it on as `Host`, and reaches the pages by https at the port for \
      phones, which `latchkey dashboard --phone` shows, on 127.0.0.1. It can know them by their certificate: the authority and \
      the name of it stand in the folder `web` of the node. Everybody who reaches the proxy can then try to sign in.

      Example: latchkey web hosts add pc.example.ts.net
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The name, with a port if it is not 443.", valueName: "name"))
  var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    let isNew = try WebHostsSubcommand.change { () throws(WebFault) -> Bool in try hosts.add(name) }
    TerminalEnvironment.current.console.note(
      isNew
        ? "Phones may come by https://\(name)/, while phones are let in at all (`latchkey browsers`)."
        : "\(name) is allowed already.")
  }
}

/// The `latchkey web hosts remove` subcommand.
struct WebHostsRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Allow a name of a proxy no more, from the next request on.",
    discussion: "Example: latchkey web hosts remove pc.example.ts.net")

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The name, as `latchkey web hosts` lists it.", valueName: "name"))
  var name: String

  func run() async throws {
    let (name, hosts) = (try WebHostsSubcommand.name(name), try WebHostsSubcommand.hosts(node))
    guard try WebHostsSubcommand.change({ () throws(WebFault) -> Bool in try hosts.remove(name) }) else {
      throw TerminalFailure(.unknownName, "\(name) is not allowed: `latchkey web hosts` lists the names that are.")
    }
    TerminalEnvironment.current.console.note("\(name) is refused from now on.")
  }
}
