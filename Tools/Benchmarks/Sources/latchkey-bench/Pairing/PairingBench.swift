import Foundation
import LatchkeyModel
import LatchkeyNode

/// The figures of `latchkey-bench pair`, in the order of its table.
struct PairingBench {
  let tool: String
  let folder: String
  /// The number of pairings of each kind.
  let pairings: Int
  let children: Int
  let wormhole: Wormhole?
  let wormholes: Int
  /// A Boolean value that indicates whether an avahi-daemon is there for a comparison.
  let comparesDiscovery: Bool
  let tell: (String) -> Void

  func run() async throws -> [BenchRow] {
    var figures: Wormhole.Figures?
    if let wormhole {
      tell("magic-wormhole, \(wormholes) texts each way …")
      figures = try await wormhole.run(wormholes)
    }
    var rows: [BenchRow] = []
    for (code, limit) in [(PairingRun.Code.pasted, 50.0), (.typed, 60)] {
      rows += try await given(code, limit, figures)
    }
    if let figures {
      rows.append(
        BenchRow("magic-wormhole: its process start alone, median", figures.start.median, "ms (the peer's own)"))
      rows.append(
        BenchRow("magic-wormhole: with its process start, median", figures.whole.median, "ms (the peer's own)"))
    }
    if comparesDiscovery { rows += try await discovered() }
    rows += try await inTurn()
    let probe = try BenchMachine(folder: folder).synchronisation()
    rows.append(BenchRow("4 KiB written and synchronised here, median", probe.median, "ms"))
    return rows
  }

  /// Measures pairings with a given address, each with a new child, all with one parent.
  private func given(_ code: PairingRun.Code, _ limit: Double, _ wormhole: Wormhole.Figures?) async throws -> [BenchRow]
  {
    tell("\(pairings) pairings by the \(code.rawValue) code, the address given …")
    var durations = Durations()
    _ = try await series("\(code.rawValue)", pairings, code, options: []) { durations.record($0.microseconds) }
    let traced = max(20, pairings / 3)
    tell("\(traced) more, traced …")
    var tracedDurations = Durations()
    var times: [PairingRun.Times] = []
    let logs = try await series("\(code.rawValue)-traced", traced, code, options: ["--log-level", "trace"]) {
      tracedDurations.record($0.microseconds)
      times.append($0)
    }
    var shares = StepShares()
    for (times, log) in zip(times, logs.joiners) {
      try shares.add(times, inviterLog: logs.inviter, joinerLog: log)
    }
    let name = "\(code.rawValue) code, address given"
    return [
      BenchRow(
        "\(name): median", durations.median, "ms", peer: wormhole?.net.median, target: "under \(Int(limit)) ms",
        met: durations.median < limit),
      BenchRow("\(name): p90", durations.percentile(90), "ms", peer: wormhole?.net.percentile(90)),
      BenchRow("\(name): p99", durations.percentile(99), "ms", peer: wormhole?.net.percentile(99)),
      BenchRow("\(name): traced, median", tracedDurations.median, "ms"),
    ]
      + StepShares.Share.allCases.flatMap { share in
        [
          BenchRow("  \(share.rawValue)", shares.mean(share), "ms (mean)"),
          BenchRow("  \(share.rawValue)", shares.percent(share), "% of it"),
        ]
      }
  }

  private func series(
    _ name: String, _ count: Int, _ code: PairingRun.Code, options: [String], _ each: (PairingRun.Times) -> Void
  ) async throws -> (inviter: String, joiners: [String]) {
    let parent = try await NodeProcess.start(
      tool: tool, folder: "\(folder)/\(name)-parent", role: .parent, name: "bench parent", options: options)
    defer { parent.stop() }
    let address = try await parent.address()
    var logs: [String] = []
    for number in 0..<count {
      let child = try await NodeProcess.start(
        tool: tool, folder: "\(folder)/\(name)-\(number)", role: .child, name: "bench child \(number)", options: options
      )
      defer { child.stop() }
      try await Self.settled(child)
      each(try await PairingRun(parent: parent, child: child, code: code, address: address).run())
      logs.append(child.words())
    }
    return (parent.words(), logs)
  }

  /// Waits until a node has completed its start, since a person's node has run for long.
  private static func settled(_ node: NodeProcess) async throws {
    while try await node.client.ask(Endpoints.getStatus).discovery == "starting" {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(100))
  }

  /// Measures pairings over mDNS, in turns with avahi-browse so that neither takes the other's
  /// time.
  ///
  /// The first measurement has an existing invitation: from the entered code to paired on both
  /// sides, beside `avahi-browse -r` from its start to the resolved invitation. The second has an
  /// invitation that is announced at the moment when both begin. The joiner's node runs before, as
  /// it does in use, and so has searched before. avahi-browse is started anew, as a person would,
  /// and the start of its process is listed separately.
  private func discovered() async throws -> [BenchRow] {
    let count = min(pairings, 60)
    tell("\(count) pairings over mDNS of either kind, with avahi-browse beside …")
    let browse = AvahiBrowse(folder: folder)
    var ours = (standing: Durations(), fresh: Durations())
    var theirs = (standing: Durations(), fresh: Durations())
    var start = Durations()
    let parent = try await NodeProcess.start(
      tool: tool, folder: "\(folder)/mdns-parent", role: .parent, name: "bench parent", options: [])
    defer { parent.stop() }
    guard let port = try await parent.address().split(separator: ":").last else { throw BenchFault("No port.") }
    for number in 0..<2 * count {
      let isStanding = number % 2 == 0
      let child = try await NodeProcess.start(
        tool: tool, folder: "\(folder)/mdns-\(number)", role: .child, name: "bench child \(number)", options: [])
      defer { child.stop() }
      try await Self.settled(child)
      try await Self.quiet()
      if !isStanding {
        let opened = try await parent.client.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
        theirs.fresh.record(try browse.resolve(port: port))
        _ = try await parent.client.ask(Endpoints.cancelPairing, opened.pairingID)
        try await Self.gone(child)
        try await Self.quiet()
      }
      start.record(try browse.start())
      let run = PairingRun(parent: parent, child: child, code: .pasted, address: nil)
      let times = try await run.run { opened in
        guard isStanding else { return }
        try await Self.seen(child, opened.prefix)
        theirs.standing.record(try browse.resolve(port: port))
      }
      if isStanding { ours.standing.record(times.microseconds) } else { ours.fresh.record(times.microseconds) }
    }
    return [
      Self.compared("over mDNS, the invitation stands: median", ours.standing, theirs.standing),
      BenchRow(
        "over mDNS, the invitation stands: p90", ours.standing.percentile(90), "ms",
        peer: theirs.standing.percentile(90)),
      Self.compared("over mDNS, announced at this moment: median", ours.fresh, theirs.fresh),
      BenchRow(
        "over mDNS, announced at this moment: p90", ours.fresh.percentile(90), "ms", peer: theirs.fresh.percentile(90)),
      BenchRow("avahi-browse: its process start alone, median", start.median, "ms (the peer's own)"),
    ]
  }

  private static func compared(_ name: String, _ ours: Durations, _ theirs: Durations) -> BenchRow {
    BenchRow(
      name, ours.median, "ms", peer: theirs.median, target: "at most 1.2 × avahi-browse -r",
      met: ours.median <= 1.2 * theirs.median)
  }

  private static func seen(_ node: NodeProcess, _ prefix: String?) async throws {
    var nearby = try await node.client.ask(Endpoints.waitForInvitations, 0)
    while !nearby.invitations.contains(where: { $0.prefix == prefix }) {
      nearby = try await node.client.ask(Endpoints.waitForInvitations, nearby.change)
    }
  }

  /// Waits until the last announcement is over a second old, since mDNS repeats records no more
  /// often.
  private static func quiet() async throws {
    try await Task.sleep(for: .milliseconds(1_500))
  }

  private static func gone(_ node: NodeProcess) async throws {
    var nearby = try await node.client.ask(Endpoints.waitForInvitations, 0)
    while !nearby.invitations.isEmpty {
      nearby = try await node.client.ask(Endpoints.waitForInvitations, nearby.change)
    }
  }

  /// Measures many children that are paired one after another, each a running process with a given
  /// address, and stay connected.
  private func inTurn() async throws -> [BenchRow] {
    tell("\(children) children pair with one parent in turn …")
    let parent = try await NodeProcess.start(
      tool: tool, folder: "\(folder)/many-parent", role: .parent, name: "bench parent", options: [])
    defer { parent.stop() }
    let address = try await parent.address()
    let starting = Durations.now()
    var nodes: [NodeProcess] = []
    defer { for node in nodes { node.stop() } }
    for number in 0..<children {
      nodes.append(
        try await NodeProcess.start(
          tool: tool, folder: "\(folder)/many-\(number)", role: .child, name: "bench child \(number)",
          options: ["--no-discovery"]))
    }
    let began = Durations.now()
    let before = try await parent.residentBytes()
    for node in nodes {
      _ = try await PairingRun(parent: parent, child: node, code: .pasted, address: address).run()
    }
    let seconds = Double(Durations.now() - began) / 1e6
    let deadline = Durations.now() + 60_000_000
    while try await !parent.client.ask(Endpoints.getStatus).peers.allSatisfy(\.isConnected), Durations.now() < deadline
    {
      try await Task.sleep(for: .milliseconds(50))
    }
    let connected = try await parent.client.ask(Endpoints.getStatus).peers.filter(\.isConnected).count
    let after = try await parent.residentBytes()
    return [
      BenchRow(
        "\(children) children in turn, all of them running", seconds, "s", target: "under 30 s", met: seconds < 30),
      BenchRow("  with the start of their processes", seconds + Double(began - starting) / 1e6, "s"),
      BenchRow("  connected to the parent afterwards", Double(connected), "children"),
      BenchRow("  the parent's memory before", Double(before) / 1e6, "MB"),
      BenchRow("  the parent's memory afterwards", Double(after) / 1e6, "MB"),
    ]
  }
}
