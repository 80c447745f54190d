import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct StatusSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show this machine, the paired ones, and what waits.",
    discussion: """
      With --follow it goes on with a line for each change of a machine, until the node stops.

      Example: latchkey status
      Example: latchkey status --verbose
      """)

  @OptionGroup var listing: ListingOptions

  @Flag(help: "Show IDs, addresses, memory, and queues in full.") var verbose = false
  @Flag(help: "Go on with a line for each change of a machine's sync.") var follow = false

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let status = try await interface.ask(Endpoints.getStatus)
    switch listing.format {
    // Followed, each value stands on a line of its own, so that a program can read them one by one.
    case .json: try console.write(follow ? JSONText.line(status) : JSONText.pretty(status))
    case .table:
      // Most pages say only how long ago something was, for which the node need not be asked again.
      let zone = StatusText.showsMoments(of: status) ? try await FamilyClock(at: interface).zone : environment.timeZone
      // A child's machine shows what weakens its rules in `latchkey doctor`.
      let conditions = status.role == .parent ? try await interface.ask(Endpoints.getConditions) : []
      try console.write(
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
      case .json: try console.write(JSONText.line(state))
      case .table:
        let now = environment.now()
        let time = TimeText.exact(now, zone: environment.timeZone).dropFirst(11).prefix(8)
        for line in changes.lines(of: try await interface.ask(Endpoints.getDevices), now: now) {
          try console.say("\(time)  \(line)")
        }
      }
    }
    throw TerminalFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
  }
}

struct NearbySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearby", abstract: "List the machines that announce themselves on this network.",
    discussion: """
      Paired machines are listed by name. Of an open pairing code only the first two characters are announced. Machines that are \
      not paired with this one are counted. Anybody can make an announcement, and a machine that was switched off abruptly \
      can stay listed for some minutes; it is shown as not answering.

      Example: latchkey nearby --format json
      """)

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let nearby = try await listing.node.open().ask(Endpoints.getNearby)
    if listing.format == .json { return try console.write(JSONText.pretty(nearby)) }
    try console.write(Self.page(nearby, now: TerminalEnvironment.current.now()))
  }

  static func page(_ nearby: NearbyMachines, now: Int64) -> String {
    var text = TableText.render(
      ["Machine", "Role", "Link", "Address"], spare: [1], wrap: [2, 3],
      rows: nearby.members.map { member in
        let more = member.addresses.count - 1
        return [
          member.name.text, member.role.rawValue, link(member, now: now),
          (member.addresses.first ?? "–") + (more > 0 ? " and \(more) more" : ""),
        ]
      }, empty: "No paired machine was found on this network.")
    if !nearby.invitations.isEmpty {
      let prefixes = nearby.invitations.joined(separator: ", ")
      text +=
        (nearby.invitations.count == 1
        ? "There is an open pairing code whose short form begins with \(ShownText.safe(prefixes))."
        : "There are open pairing codes whose short forms begin with \(ShownText.safe(prefixes)).").inWidth + "\n"
    }
    if nearby.others > 0 {
      let machines = ShownText.count(nearby.others, "other machine")
      text +=
        "\(machines) \(nearby.others == 1 ? "announces itself and is" : "announce themselves and are") not paired with this one."
        .inWidth + "\n"
    }
    if DiscoveryText.isUnusual(nearby.discovery) {
      let why = ShownText.safe(DiscoveryText.words(nearby.discovery))
      text += "This machine \(why)\(why.hasSuffix(".") ? "" : ".") Run `latchkey doctor` for details.".inWidth + "\n"
    }
    return text
  }

  private static func link(_ member: NearbyMachines.Member, now: Int64) -> String {
    if member.isConnected { return "connected" }
    let words = member.isAnswering == false ? "does not answer" : "not connected"
    return words + (member.lastSeenAt.map { ", seen \(ShownText.ago($0, now: now))" } ?? "")
  }
}

struct MetricsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Write the node's metrics for Prometheus.",
    discussion: """
      Writes the text format of version 0.0.4, for the folder of node-exporter's textfile collector: write another file there \
      first and rename it, so that no half of it is read. `GET /v1/metrics` on the node's socket answers with the same text.

      A device is named by the beginning of its ID, and no person is.

      Example: latchkey metrics
      Example: latchkey metrics >latchkey.new && mv latchkey.new latchkey.prom
      Example: latchkey metrics | promtool check metrics
      """)

  @OptionGroup var node: NodeOptions

  func run() async throws { try console.write(try await node.open().ask(Endpoints.getMetrics)) }
}
