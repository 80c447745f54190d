import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyStore

/// The metrics of a node, made from its state and its counters at one moment.
///
/// They have no name of a person or machine, and at most 200 series however many devices are
/// paired. Their names begin with `latchkey_`, so that node-exporter can show them beside its own.
///
/// Spec: Protocol/07-local-api.md §4.
struct NodeMetrics {
  let status: NodeStatus
  let commits: CommitStatistics
  let agent: AgentCounters.Numbers
  let isAgentConnected: Bool
  let hasProcessEvents: Bool
  let receivers: ReceiverNumbers
  /// The number of conditions that weaken the rules on children's machines; 0 on a child's.
  let conditions: Int
  /// When the node started, in Unix milliseconds.
  let startedAt: Int64
  let now: Int64

  /// The receivers of a parent, all together.
  struct ReceiverNumbers: Hashable, Sendable {
    var states: [(String, Int)] { [("works", works), ("faulty", faulty), ("stopped", stopped)] }
    /// The receivers whose bridges carry notices, say that something is wrong, and do not run.
    var (works, faulty, stopped) = (0, 0, 0)
    /// The notices that receivers have not been told.
    var waiting = 0
    var counts = BridgeBoard.Counts()
  }

  /// The most devices that have series of their own.
  static let mostDevices = 32

  var families: [MetricFamily] { process + peers + queues + database + (status.role == .child ? enforcement : bridges) }

  private var process: [MetricFamily] {
    [
      MetricFamily(
        .gauge, "latchkey_build_info", "The version of the node's software, and the role of the machine.",
        samples: [
          .init(
            labels: [.init(name: "version", value: status.version), .init(name: "role", value: status.role.rawValue)],
            value: 1)
        ]),
      MetricFamily(
        .gauge, "latchkey_process_start_time_seconds", "When the node started, in seconds since 1970.",
        samples: [.init(value: Double(startedAt) / 1_000)]),
      MetricFamily(
        .gauge, "latchkey_process_resident_memory_bytes", "Resident memory of the node.", status.residentBytes),
      MetricFamily(
        .gauge, "latchkey_warnings", "Warnings that latchkey status shows.", status.warnings.count + conditions),
    ]
  }

  private var peers: [MetricFamily] {
    let paired = status.peers.filter { $0.device.state == .active }
    func count(_ isCounted: (PeerStatus) -> Bool) -> [(String, Int)] {
      DeviceRole.allCases.map { role in (role.rawValue, paired.count { $0.device.role == role && isCounted($0) }) }
    }
    let shown = paired.sorted { (age(of: $0) ?? .max, $0.device.deviceID) > (age(of: $1) ?? .max, $1.device.deviceID) }
      .prefix(Self.mostDevices).sorted { $0.device.deviceID < $1.device.deviceID }
    return [
      MetricFamily(.gauge, "latchkey_peers", "Paired devices.", by: "role", count { _ in true }),
      MetricFamily(
        .gauge, "latchkey_peers_connected", "Paired devices with an open session.", by: "role", count(\.isConnected)),
      MetricFamily(
        .gauge, "latchkey_peer_connected",
        "Whether a session with the device is open; the \(Self.mostDevices) devices that were not in sync for the longest time.",
        by: "device", shown.map { ($0.device.deviceID.short, $0.isConnected ? 1 : 0) }),
      MetricFamily(
        .gauge, "latchkey_peer_sync_age_seconds",
        "Time since nothing was left to send to the device; absent for a device that never was in sync.",
        samples: shown.compactMap { peer in
          age(of: peer).map { age in
            .init(labels: [.init(name: "device", value: peer.device.deviceID.short)], value: Double(age) / 1_000)
          }
        }),
    ]
  }

  /// Returns the milliseconds since a device was in sync; `nil` for never.
  private func age(of peer: PeerStatus) -> Int64? {
    if peer.isConnected, case .synced = peer.sync { return 0 }
    return peer.device.lastSyncedAt.map { max(0, now - $0) }
  }

  private var queues: [MetricFamily] {
    let queues = Dictionary(grouping: status.peers.flatMap(\.queues), by: \.streamClass)
    func sum(_ value: (QueueStatus) -> Int64) -> [(String, Int64)] {
      StreamClass.allCases.map { ($0.word, (queues[$0] ?? []).map(value).reduce(0, +)) }
    }
    return [
      MetricFamily(
        .gauge, "latchkey_queue_items", "Items that wait for paired devices.", by: "class", sum(\.waitingItems)),
      MetricFamily(
        .gauge, "latchkey_queue_bytes", "Size of the items that wait for paired devices.", by: "class",
        sum(\.waitingBytes)),
      MetricFamily(
        .gauge, "latchkey_queue_in_flight_items", "Items that were sent and are not reported as stored.", by: "class",
        sum(\.inFlightItems)),
      MetricFamily(
        .gauge, "latchkey_queue_oldest_age_seconds", "Time that the oldest item has waited; 0 if none waits.",
        samples: StreamClass.allCases.map { streamClass in
          let oldest = (queues[streamClass] ?? []).compactMap(\.oldestAgeMilliseconds).max() ?? 0
          return .init(labels: [.init(name: "class", value: streamClass.word)], value: Double(oldest) / 1_000)
        }),
    ]
  }

  private var database: [MetricFamily] {
    let disk = status.disk.map { disk in
      [
        MetricFamily(
          .gauge, "latchkey_disk_fault", "Whether the disk has a fault now, by its kind.", by: "kind",
          Self.faults.map { ($0.rawValue, $0 == disk.state ? 1 : 0) }),
        MetricFamily(.gauge, "latchkey_database_size_bytes", "Size of the database file.", disk.databaseBytes),
        MetricFamily(.gauge, "latchkey_database_log_bytes", "Size of the database's log.", disk.logBytes),
      ]
        + (disk.freeBytes.map {
          [MetricFamily(.gauge, "latchkey_disk_free_bytes", "Free space on the disk of the database.", $0)]
        } ?? [])
    }
    return (disk ?? []) + [
      MetricFamily(
        .counter, "latchkey_disk_faults_total", "Faults of the disk, by their kind.", by: "kind",
        Self.faults.map { ($0.rawValue, commits.faults[$0] ?? 0) }),
      MetricFamily(
        .counter, "latchkey_database_writes_total", "Writes that were made durable, several in one commit.",
        commits.writes),
      MetricFamily(
        "latchkey_database_commit_seconds", "Time that commits took, each with one fsync of the log.", commits.commits),
    ]
  }

  private static let faults = DiskStatus.State.allCases.filter { $0 != .well }

  private var bridges: [MetricFamily] {
    [
      MetricFamily(
        .gauge, "latchkey_receivers", "Receivers that are set up, by what their bridges do.", by: "state",
        receivers.states),
      MetricFamily(
        .gauge, "latchkey_receiver_notices_waiting", "Notices that receivers have not been told.", receivers.waiting),
      MetricFamily(
        .counter, "latchkey_receiver_notices_told_total", "Notices that receivers were told.", receivers.counts.told),
      MetricFamily(
        .counter, "latchkey_receiver_notices_dropped_total", "Notices that bridges have given up.",
        receivers.counts.dropped),
      MetricFamily(
        .counter, "latchkey_receiver_faults_total", "Times that a receiver's server began to be unwell.",
        receivers.counts.faults),
    ]
  }

  private var enforcement: [MetricFamily] {
    [
      MetricFamily(.gauge, "latchkey_agent_connected", "Whether an agent is connected.", isAgentConnected ? 1 : 0),
      MetricFamily(
        .gauge, "latchkey_agent_process_events", "Whether the kernel tells the agent of programs.",
        hasProcessEvents ? 1 : 0),
      MetricFamily(
        .counter, "latchkey_programs_closed_total", "Steps against programs whose time was over.", by: "deed",
        AgentReport.Deed.allCases.map { ("\($0)", agent.deeds[$0] ?? 0) }),
      MetricFamily(
        "latchkey_enforcement_latency_seconds",
        "Time from the end of a running program's time until it ended or was frozen, with the time to save.",
        agent.latency),
      MetricFamily(
        .counter, "latchkey_sessions_closed_total", "Times that an account's sessions were locked or ended.",
        by: "step", [("locked", agent.sessionsLocked), ("ended", agent.sessionsEnded)]),
      MetricFamily(
        .counter, "latchkey_process_event_losses_total", "Times that process events were lost.", agent.eventLosses),
      MetricFamily(.counter, "latchkey_agent_reports_dropped_total", "Reports that the agent dropped.", agent.dropped),
      MetricFamily(.counter, "latchkey_clock_sets_total", "Times that the wall clock was set.", agent.clockSets),
    ]
  }
}

/// The node's metrics.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let metricsRoutes: [any ServedEndpoint] = [getMetrics]

  package static let getMetrics = Endpoint(
    text: "/v1/metrics", summary: "The node's metrics, in Prometheus' text format of version 0.0.4."
  ) { call in try await call.metrics() }
}

extension Call {
  fileprivate func metrics() async throws -> String {
    let status = try await status()
    let agent = context.enforcementState.agent
    return MetricFamily.text(
      NodeMetrics(
        status: status, commits: store.commitStatistics, agent: context.agentCounters.numbers,
        isAgentConnected: agent != nil, hasProcessEvents: agent?.hasEvents == true,
        receivers: try await receiverNumbers(),
        conditions: role == .parent ? try await conditions().count(where: \.isWarning) : 0,
        startedAt: context.startedAt, now: context.wall()
      ).families)
  }

  private func receiverNumbers() async throws -> NodeMetrics.ReceiverNumbers {
    var numbers = NodeMetrics.ReceiverNumbers()
    for receiver in try await store.receivers() {
      let bridge = context.bridges[receiver.name]
      if bridge.readers == 0 {
        numbers.stopped += 1
      } else if bridge.fault == nil {
        numbers.works += 1
      } else {
        numbers.faulty += 1
      }
    }
    numbers.waiting = try await store.noticesWaiting()
    numbers.counts = context.bridges.counts
    return numbers
  }
}
