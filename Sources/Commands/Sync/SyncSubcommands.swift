import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct SyncSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchange what waits, now.", discussion: "Example: latchkey sync --wait",
    subcommands: [SyncNowSubcommand.self], defaultSubcommand: SyncNowSubcommand.self)
}

struct SyncNowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "now", abstract: "Call the other machines at once and exchange what waits.",
    discussion: """
      With --wait it shows how far each machine is, and ends with 0 once nothing waits on either side, and with 75 when the \
      time is up, saying why.

      Example: latchkey sync now --wait --on Emma
      """)

  @OptionGroup var listing: ListingOptions

  @Option(on: "Only this machine.") var peer: String?

  @Option(wait: "Wait until both sides are in step, at most this long.") var wait: WaitingTime?

  func run() async throws {
    let interface = try await listing.node.open()
    var peers = try await interface.ask(Endpoints.syncNow, peer)
    guard !peers.isEmpty else {
      throw TerminalFailure(.unknownName, "No machines are paired: run `latchkey pair` here and on the other machine.")
    }
    if let wait {
      // A removed or quarantined machine is never in step, so it counts only if it was named.
      if peer == nil { peers = peers.filter { $0.device.state == .active && !$0.marks.contains(.quarantined) } }
      let chosen = Set(peers.map(\.device.deviceID))
      if let inStep = try await inStep(chosen, at: interface, seconds: wait.seconds) {
        peers = inStep
      } else {
        peers = try await interface.ask(Endpoints.getDevices).filter { chosen.contains($0.device.deviceID) }
      }
    }
    try show(peers)
    guard wait != nil, let late = peers.first(where: { !Self.isInStep($0) }) else { return }
    throw TerminalFailure(
      .tryAgain,
      "\(ShownText.quoted(late.device.name)) is not in step: \(late.lastError.map(ShownText.safe) ?? Self.words(late)) "
        + "What waits stays queued; see `latchkey status`.")
  }

  private func show(_ peers: [PeerStatus]) throws {
    let environment = TerminalEnvironment.current
    switch listing.format {
    case .json: try console.write(JSONText.pretty(peers))
    case .table: for peer in peers { try console.say(SyncText.line(of: peer, now: environment.now())) }
    }
  }

  private static func words(_ late: PeerStatus) -> String {
    if late.isConnected { return "what waits is still on its way." }
    return late.address == nil
      ? "it was not found: start `latchkey run` there, or give its address here with `latchkey run --peer host:port`."
      : "there is no connection: check that `latchkey run` is running there."
  }

  static func isInStep(_ peer: PeerStatus) -> Bool { if case .synced = peer.sync { peer.isConnected } else { false } }

  /// Waits until all devices are in step, and notes each change; returns `nil` when time is up.
  private func inStep(
    _ devices: Set<DeviceID>, at node: any NodeInterface, seconds: Int
  ) async throws -> [PeerStatus]? {
    let environment = TerminalEnvironment.current
    let tells = listing.format == .table
    return try await withThrowingTaskGroup(of: [PeerStatus]?.self) { group in
      group.addTask {
        var changes = PeerChanges()
        // The present state comes at once, then each change.
        for await _ in try await node.ask(Endpoints.syncStates) {
          let peers = try await node.ask(Endpoints.getDevices).filter { devices.contains($0.device.deviceID) }
          if peers.allSatisfy(Self.isInStep) { return peers }
          for line in changes.lines(of: peers, now: environment.now()) where tells { console.note(line) }
        }
        throw TerminalFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}

/// The last printed state of each machine, so that each change is printed once.
struct PeerChanges {
  private var told: [DeviceID: Set<String>] = [:]
  private var last: [DeviceID: String] = [:]

  /// Returns a line for each machine with news.
  mutating func lines(of peers: [PeerStatus], now: Int64) -> [String] {
    peers.compactMap { peer in
      let (device, news) = (peer.device.deviceID, Self.news(peer.sync))
      guard last.updateValue(news, forKey: device) != news else { return nil }
      switch peer.sync {
      case .synced, .syncing: told[device] = nil
      case .idle, .connecting, .error: guard told[device, default: []].insert(news).inserted else { return nil }
      }
      return SyncText.line(of: peer, now: now)
    }
  }

  /// The part of a state that is news: no times and no addresses, which change all the time.
  private static func news(_ sync: SyncState) -> String {
    switch sync {
    case .idle: "idle"
    case .connecting: "connecting"
    case .synced: "in step"
    case .syncing(let done, let total): "exchanging, tenth \(total == 0 ? 0 : Int(Double(done) / Double(total) * 10))"
    case .error(let reason, _):
      reason.split(separator: " ").filter { SocketEndpoint(String($0)) == nil }.joined(separator: " ")
    }
  }
}
