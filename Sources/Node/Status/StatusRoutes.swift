import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem

extension Endpoints {
  static let statusRoutes: [any ServedEndpoint] = [getStatus, syncStates, syncNow]

  public static let getStatus = Endpoint(
    .get, "/v1/status", whoMay: .operatorsChildAndReceivers, browsers: .look,
    summary: "The state of the node; for a child, what concerns it."
  ) { call in
    let status = try await call.status()
    guard let child = call.caller.child else { return status }
    return status.shown(running: try await call.today(of: child.id).running)
  }

  package static let syncStates = Endpoint(
    events: "/v1/sync", browsers: .look, summary: "The node's sync state: the present one at once, then each change."
  ) { call in
    call.syncStates()
  }

  package static let syncNow = Endpoint(
    .post, "/v1/sync", Query.device, browsers: .parent, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Tries at once to reach a device, or all, and repeats what is held. Does not wait."
  ) { call, device in
    try await call.syncNow(device)
  }
}

extension Call {
  func status() async throws -> NodeStatus {
    let overview = try await store.overview(counting: .ledger)
    let peers = try await devices(overview.peers, overview.otherParents)
    let warnings = try await warnings(overview)
    return NodeStatus(
      deviceID: own, name: context.name, role: role, version: Version.software,
      processID: getpid(), listening: node.listening, discovery: await node.discovery.stateText,
      interfaces: context.configuration.interfaces, sync: Self.sync(of: peers.map(\.sync)), peers: peers,
      former: overview.former, messages: overview.messages, warnings: warnings, residentBytes: Self.residentBytes(),
      disk: store.diskStatus, running: try await runningNow())
  }

  /// Returns the node's sync states: the present one immediately, then each change; a slow reader
  /// gets the newest.
  fileprivate func syncStates() -> AsyncStream<SyncState> {
    context.syncChanges.events(keepingNewest: 16, since: SyncState?.none) { [directory] last in
      var states: [SyncState] = []
      for link in await directory.all { states.append(await link.sync) }
      let state = Self.sync(of: states)
      defer { last = state }
      return state == last ? [] : [state]
    }
  }

  /// Dials the devices without a session immediately, and repeats the stored positions to those
  /// with one.
  fileprivate func syncNow(_ device: String?) async throws -> [PeerStatus] {
    var peers: [PeerStatus] = []
    for record in try await listedDevices(device) {
      guard let link = await directory.link(record.device.deviceID) else { continue }
      await link.syncNow()
      peers.append(try await link.status())
    }
    return peers
  }

  /// Aggregates the links' states: in progress outranks error, and error outranks synced.
  static func sync(of states: [SyncState]) -> SyncState {
    var result = SyncState.idle
    var done: UInt64 = 0
    var total: UInt64 = 0
    for state in states {
      switch (state, result) {
      case (.syncing(let partDone, let partTotal), _):
        // A peer may claim to have assigned any number.
        done = done.addingReportingOverflow(partDone).overflow ? .max : done + partDone
        total = total.addingReportingOverflow(partTotal).overflow ? .max : total + partTotal
        result = .syncing(done: done, total: total)
      case (_, .syncing): break
      case (.connecting, _): result = .connecting
      case (_, .connecting): break
      case (.error, _): result = state
      case (_, .error): break
      case (.synced(let at), .synced(let other)): result = .synced(at: max(at, other))
      case (.synced, _): result = state
      case (.idle, _): break
      }
    }
    return result
  }

  /// Returns the resident memory of this process in bytes, from /proc/self/statm.
  static func residentBytes() -> Int64 {
    let fields = (ProcFile.text("/proc/self/statm") ?? "").split(separator: " ")
    return (fields.count > 1 ? Int64(fields[1]) ?? 0 : 0) * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }
}

extension NodeStatus {
  /// Returns the state for a child, without other people's concerns: addresses, faults, former
  /// machines, and other children's use.
  func shown(running: [RunningNow]) -> NodeStatus {
    var status = self
    status.peers = peers.map { peer in
      PeerStatus(
        device: peer.device, isConnected: peer.isConnected, address: nil, sync: peer.sync, queues: peer.queues,
        lastError: nil)
    }
    status.former = []
    status.warnings = []
    status.running = running
    return status
  }
}
