import ArgumentParser
import LatchkeyModel

/// The command `latchkey sync now`.
struct SyncNowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "now", abstract: "Call the other machines at once and exchange what waits.",
    discussion: """
      With --wait it ends with 0 once nothing waits on either side, and with 75 when the time is up, saying why.

      Example: latchkey sync now --wait --peer "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: ArgumentHelp("Only this machine.", valueName: "device"))
  var peer: String?

  @Option(
    defaultAsFlag: 60, parsing: .next,
    help: ArgumentHelp(
      "Wait until both sides are in step, at most this long (60 s when no number follows).", valueName: "seconds"))
  var wait: Int?

  mutating func validate() throws {
    if let wait, !(1...86_400).contains(wait) {
      throw ValidationError("The time to wait must be 1 to 86,400 seconds.")
    }
  }

  func run() async throws {
    let interface = try await node.open()
    var peers = try await interface.syncNow(device: peer)
    guard !peers.isEmpty else {
      throw CommandFailure(.unknownName, "No machines are paired: run `latchkey pair` here and on the other machine.")
    }
    if let wait {
      // A machine that is to be told of its removal, or in quarantine, is in step with nobody: it has to be named.
      if peer == nil { peers = peers.filter { $0.device.state == .active && !$0.marks.contains(.quarantined) } }
      let chosen = Set(peers.map(\.device.deviceID))
      if let inStep = try await Self.inStep(chosen, at: interface, seconds: wait) {
        peers = inStep
      } else {
        peers = try await interface.devices().filter { chosen.contains($0.device.deviceID) }
      }
    }
    try show(peers)
    guard wait != nil, let late = peers.first(where: { !Self.isInStep($0) }) else { return }
    throw CommandFailure(
      .tryAgain,
      "\(ShownText.quoted(late.device.name)) is not in step: \(late.lastError.map(ShownText.safe) ?? Self.words(late)) "
        + "What waits stays queued; see `latchkey status`.")
  }

  private func show(_ peers: [PeerStatus]) throws {
    let environment = CommandEnvironment.current
    switch listing.format {
    case .json: try environment.console.write(JSONText.pretty(peers))
    case .table:
      for peer in peers {
        try environment.console.write(
          "\(ShownText.quoted(peer.device.name)): \(SyncText.sentence(peer.sync, now: environment.now()))\n")
      }
    }
  }

  private static func words(_ late: PeerStatus) -> String {
    if late.isConnected { return "what waits is still on its way." }
    return late.address == nil
      ? "it was not found: start `latchkey run` there, or give its address here with `latchkey run --peer host:port`."
      : "there is no connection: check that `latchkey run` is running there."
  }

  static func isInStep(_ peer: PeerStatus) -> Bool {
    if case .synced = peer.sync { peer.isConnected } else { false }
  }

  /// Wait until all of the devices are in step, looking again at each change; nil when the time is up.
  private static func inStep(
    _ devices: Set<DeviceID>, at node: any NodeInterface, seconds: Int
  ) async throws -> [PeerStatus]? {
    try await withThrowingTaskGroup(of: [PeerStatus]?.self) { group in
      group.addTask {
        // The present state comes at once, then each change.
        for await _ in await node.syncStates() {
          let peers = try await node.devices().filter { devices.contains($0.device.deviceID) }
          if peers.allSatisfy(isInStep) { return peers }
        }
        throw CommandFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
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
