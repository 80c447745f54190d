import ArgumentParser
import LatchkeyModel

/// The command `latchkey status`.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show this machine, the paired ones, and what waits.",
    discussion: """
      With --follow it goes on with a line for each change, until the node stops.

      Example: latchkey status --format json
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Flag(help: "Go on with a line for each change of the sync state.")
  var follow = false

  func run() async throws {
    let environment = CommandEnvironment.current
    let interface = try await node.open()
    let status = try await interface.status()
    switch listing.format {
    // Followed, each value stands on a line of its own, so that a program can read them one by one.
    case .json: try environment.console.write(follow ? JSONText.line(status) : JSONText.pretty(status))
    case .table:
      try environment.console.write(
        StatusText(status: status, now: environment.now(), zone: environment.timeZone).render())
    }
    if follow { try await followStates(of: interface) }
  }

  private func followStates(of interface: any NodeInterface) async throws {
    let environment = CommandEnvironment.current
    for await state in await interface.syncStates() {
      switch listing.format {
      case .json: try environment.console.write(JSONText.line(state))
      case .table:
        let now = environment.now()
        let time = TimeText.exact(now, zone: environment.timeZone).dropFirst(11).prefix(8)
        try environment.console.write("\(time)  \(SyncText.sentence(state, now: now))\n")
      }
    }
    throw CommandFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
  }
}
