import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey status` subcommand.
struct StatusSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show this machine, the paired ones, and what waits.",
    discussion: """
      With --follow it goes on with a line for each change of a machine, until the node stops.

      Example: latchkey status
      Example: latchkey status --verbose
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Flag(help: "Show IDs, addresses, memory, and queues in full.")
  var verbose = false

  @Flag(help: "Go on with a line for each change of a machine's sync.")
  var follow = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    let status = try await interface.ask(Endpoints.getStatus)
    switch listing.format {
    // Followed, each value stands on a line of its own, so that a program can read them one by one.
    case .json: try environment.console.write(follow ? JSONText.line(status) : JSONText.pretty(status))
    case .table:
      // Most pages say only how long ago something was, for which the node need not be asked again.
      let zone =
        StatusText.showsMoments(of: status) ? try await FamilyClock(at: interface).zone : environment.timeZone
      // A child's machine shows what weakens its rules in `latchkey doctor`.
      let conditions = status.role == .parent ? try await interface.ask(Endpoints.getConditions) : []
      try environment.console.write(
        StatusText(
          status: status, now: environment.now(), zone: zone, isVerbose: verbose, conditions: conditions
        ).render())
    }
    if follow { try await followStates(of: interface, from: status.peers) }
  }

  private func followStates(of interface: any NodeInterface, from peers: [PeerStatus]) async throws {
    let environment = TerminalEnvironment.current
    var changes = PeerChanges()
    _ = changes.lines(of: peers, now: environment.now())
    for await state in try await interface.ask(Endpoints.syncStates) {
      switch listing.format {
      case .json: try environment.console.write(JSONText.line(state))
      case .table:
        let now = environment.now()
        let time = TimeText.exact(now, zone: environment.timeZone).dropFirst(11).prefix(8)
        for line in changes.lines(of: try await interface.ask(Endpoints.getDevices), now: now) {
          try environment.console.say("\(time)  \(line)")
        }
      }
    }
    throw TerminalFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
  }
}
