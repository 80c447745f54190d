import Foundation
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// The metrics of a node: Protocol/07-local-api.md §4.
@Suite struct NodeMetricsTests {
  private static let now: Int64 = 1_795_446_000_000

  private static func peer(_ random: inout SeededRandom, _ role: DeviceRole, syncedAt: Int64?) -> PeerStatus {
    let queues = StreamClass.allCases.map { streamClass in
      QueueStatus(
        streamClass: streamClass, waitingItems: 2, waitingBytes: 50, inFlightItems: 1, storedThrough: 1,
        oldestAgeMilliseconds: 1_500)
    }
    return PeerStatus(
      device: RegisteredDevice(
        deviceID: Samples.deviceID(&random), name: DeviceName(sanitising: "Emma's \"PC\""), role: role,
        childName: "Emma",
        identityKey: "", linkKey: "", pairedAt: 0, lastSyncedAt: syncedAt),
      isConnected: false, address: nil, sync: .idle, queues: queues, lastError: "Emma's PC is off.")
  }

  private static let receivers: NodeMetrics.ReceiverNumbers = {
    var numbers = NodeMetrics.ReceiverNumbers()
    (numbers.works, numbers.faulty, numbers.waiting) = (2, 1, 3)
    numbers.counts = BridgeBoard.Counts(told: 40, dropped: 2, faults: 5)
    return numbers
  }()

  /// Returns the metrics of a node with devices that were in sync one after another.
  private func metrics(_ role: DeviceRole, devices: Int) -> (metrics: NodeMetrics, peers: [PeerStatus]) {
    var random = SeededRandom(seed: 7)
    let peers = (0..<devices).map { number in
      Self.peer(
        &random, number.isMultiple(of: 2) ? .child : .parent,
        syncedAt: number == 0 ? nil : Self.now - Int64(number) * 1_000)
    }
    let status = NodeStatus(
      deviceID: Samples.deviceID(&random), name: DeviceName(sanitising: "Kitchen laptop"), role: role, version: "1.2.3",
      processID: 1, listening: [], discovery: "embedded", sync: .idle, peers: peers, messages: [],
      warnings: ["Emma's PC has lost data."], residentBytes: 20 << 20,
      disk: DiskStatus(state: .full, freeBytes: 0, databaseBytes: 4_096, logBytes: 8_192, reserveBytes: 0))
    return (
      NodeMetrics(
        status: status, commits: CommitStatistics(), agent: AgentCounters.Numbers(), isAgentConnected: true,
        hasProcessEvents: false, receivers: Self.receivers, conditions: 2, startedAt: Self.now - 60_000,
        now: Self.now), peers
    )
  }

  @Test("However many devices are paired, there are at most 200 series, each once, and no name of a person or machine")
  func bound() {
    for role in DeviceRole.allCases {
      let text = MetricFamily.text(metrics(role, devices: Limits.peers).metrics.families)
      let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(series.count > 60 && series.count <= 200, "\(series.count)")
      #expect(Set(series.map { $0.split(separator: " ").dropLast() }).count == series.count)
      #expect(series.allSatisfy { $0.hasPrefix("latchkey_") })
      for name in ["Emma", "Kitchen"] { #expect(!text.contains(name), "\(name)") }
    }
  }

  @Test("Of many devices, those that were not in sync for the longest time have series, and one that never was")
  func shown() throws {
    let (metrics, peers) = metrics(.parent, devices: 40)
    let text = MetricFamily.text(metrics.families)
    func hasAge(_ peer: PeerStatus, _ age: Int) -> Bool {
      text.contains("latchkey_peer_sync_age_seconds{device=\"\(peer.device.deviceID.short)\"} \(age)\n")
    }
    #expect(hasAge(peers[39], 39) && hasAge(peers[20], 20) && !hasAge(peers[1], 1))
    #expect(text.contains("latchkey_peer_connected{device=\"\(peers[0].device.deviceID.short)\"} 0\n"))
    #expect(text.contains("latchkey_peers{role=\"child\"} 20\n"))
    #expect(text.contains("latchkey_queue_items{class=\"usage\"} 80\n"))
    #expect(text.contains("latchkey_queue_oldest_age_seconds{class=\"command\"} 1.5\n"))
    #expect(text.contains("latchkey_disk_fault{kind=\"full\"} 1\n") && !text.contains("latchkey_agent"))
    for line in [
      "latchkey_warnings 3", "latchkey_receivers{state=\"works\"} 2", "latchkey_receivers{state=\"faulty\"} 1",
      "latchkey_receivers{state=\"stopped\"} 0", "latchkey_receiver_notices_waiting 3",
      "latchkey_receiver_notices_told_total 40", "latchkey_receiver_notices_dropped_total 2",
      "latchkey_receiver_faults_total 5",
    ] { #expect(text.contains(line + "\n"), "\(line)") }
  }

  @Test("A device with an open session and nothing to send is in sync now")
  func inSync() {
    var (metrics, peers) = metrics(.child, devices: 2)
    (peers[1].isConnected, peers[1].sync) = (true, .synced(at: 5))
    var status = metrics.status
    status.peers = peers
    metrics = NodeMetrics(
      status: status, commits: metrics.commits, agent: metrics.agent, isAgentConnected: false, hasProcessEvents: false,
      receivers: Self.receivers, conditions: 0, startedAt: 0, now: Self.now)
    let text = MetricFamily.text(metrics.families)
    #expect(text.contains("latchkey_peer_sync_age_seconds{device=\"\(peers[1].device.deviceID.short)\"} 0\n"))
    #expect(text.contains("latchkey_agent_connected 0\n") && !text.contains("latchkey_receiver"))
  }

  @Test("promtool finds nothing to say of them", arguments: DeviceRole.allCases)
  func promtool(role: DeviceRole) throws {
    let program = "/usr/bin/promtool"
    try #require(FileManager.default.isExecutableFile(atPath: program), "run Tools/setup, which installs promtool")
    let (tool, input, output) = (Process(), Pipe(), Pipe())
    tool.executableURL = URL(filePath: program)
    tool.arguments = ["check", "metrics"]
    (tool.standardInput, tool.standardOutput, tool.standardError) = (input, output, output)
    try tool.run()
    try input.fileHandleForWriting.write(
      contentsOf: Data(MetricFamily.text(metrics(role, devices: Limits.peers).metrics.families).utf8))
    try input.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 0 && said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
  }
}
