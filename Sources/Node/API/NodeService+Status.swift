import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

extension NodeService {
  /// Returns the state of the node.
  public func status() async throws(LocalAPIError) -> NodeStatus {
    let overview = try await overview()
    let peers = try await devices(overview.peers, overview.otherParents)
    let warnings =
      try await context.warnings + [context.folder.parentWarning].compactMap { $0 } + setBackWarnings(overview)
      + lostSettingWarnings(household()) + unusableWarnings(overview) + refusalWarnings(overview)
      + lossWarnings(overview) + renamingWarnings(overview) + ledgerWarnings(overview)
    return NodeStatus(
      deviceID: context.own, name: context.name, role: context.profile.role, version: Version.software,
      processID: getpid(), listening: listening, discovery: await discovery.stateText,
      interfaces: context.configuration.interfaces,
      sync: Self.sync(of: peers.map(\.sync)),
      peers: peers, former: overview.former, messages: overview.messages, warnings: warnings,
      residentBytes: Self.residentBytes(), disk: context.store.diskStatus,
      running: try await runningNow())
  }

  /// Returns the warnings about machines that were restored to an earlier state.
  private func setBackWarnings(_ overview: StoreOverview) -> [String] {
    overview.setBacks.map { setBack in
      let name = setBack.name
      let machine = ShellWord.machine(name, setBack.device)
      return switch (setBack.cause, setBack.role) {
      case (.peerLost, .child):
        "“\(name)” has lost data: perhaps it was reset, or restored from a backup. Its rules are sent again. Messages that are "
          + "too old for that are shown as failed by `latchkey commands`. To see what it has now, run `latchkey report request "
          + "--on \(machine)`; this warning ends with its answer."
      case (.peerLost, .parent):
        "“\(name)” has lost data: perhaps it was reset, or restored from a backup. The use of programs that is recorded here is "
          + "sent again: run `latchkey usage` on both machines and compare."
      case (.peerIsAhead, .child):
        "This machine has lost data that “\(name)” still has: perhaps this machine was restored from a backup. To take over "
          + "the rules that were set here and are lost, run `latchkey report adopt --on \(machine)`, which ends this warning; "
          + "otherwise set the rules again here."
      case (.peerIsAhead, .parent):
        "This machine has lost data that “\(name)” still has: perhaps this machine was restored from a backup. What is recorded "
          + "here is sent again. Run `latchkey apps` to see whether the newest rules are here; if not, set them again on “\(name)”."
      }
    }
  }

  /// Returns the warnings about machines that were renamed elsewhere.
  private func renamingWarnings(_ overview: StoreOverview) -> [String] {
    guard context.profile.role == .parent else { return [] }
    return overview.renamings.map { renaming in
      "“\(renaming.before)” was renamed and is called “\(renaming.name)” now: if that is not right, run `latchkey devices rename "
        + "\(renaming.device.short) --to` with the name that you want."
    }
  }

  /// Returns the warnings about usage that children's machines dropped because their queues were full.
  private func lossWarnings(_ overview: StoreOverview) -> [String] {
    overview.losses.map { loss in
      "“\(name(loss.device, overview.peers))” had no room for \(loss.sessions) sessions of use (\(loss.activeMilliseconds / 60_000) "
        + "minutes), which are missing here: keep the two machines in touch, or let more wait with `latchkey run --queue-items`."
    }
  }

  /// Returns the node's sync states: the present one immediately, then each change, of which a slow reader gets the
  /// newest.
  public func syncStates() async -> AsyncStream<SyncState> {
    context.syncChanges.events(keepingNewest: 16, since: SyncState?.none) { [directory] last in
      var states: [SyncState] = []
      for link in await directory.all { states.append(await link.sync) }
      let state = Self.sync(of: states)
      defer { last = state }
      return state == last ? [] : [state]
    }
  }

  /// Returns the paired devices, and the removed ones that have not heard of their removal.
  public func devices() async throws(LocalAPIError) -> [PeerStatus] {
    let known = try await stored { () async throws(StoreError) in try await context.store.peersAndOtherParents() }
    return try await devices(known.peers, known.otherParents)
  }

  private func overview() async throws(LocalAPIError) -> StoreOverview {
    try await stored { () async throws(StoreError) in try await context.store.overview(counting: .ledger) }
  }

  private func devices(
    _ peers: [PeerRecord], _ otherParents: [DeviceID: [OtherParent]]
  ) async throws(LocalAPIError) -> [PeerStatus] {
    var devices: [PeerStatus] = []
    for peer in peers where peer.isListed {
      if let link = await directory.link(peer.device.deviceID) {
        devices.append(try await stored { () async throws(StoreError) in try await link.status() })
      } else {
        devices.append(
          PeerStatus(
            device: peer.device, isConnected: false, address: nil, sync: .idle, queues: [], lastError: nil,
            marks: peer.marks))
      }
      guard context.profile.role == .parent else { continue }
      devices[devices.count - 1].otherParents = otherParents[peer.device.deviceID]
    }
    return devices
  }

  /// Returns the machines that announce themselves on the network.
  public func nearby() async throws(LocalAPIError) -> NearbyMachines {
    let seen = await discovery.nearby()
    var members: [NearbyMachines.Member] = []
    for peer in try await listed() {
      guard let endpoints = seen.members[peer.device.deviceID] else { continue }
      let link = await directory.link(peer.device.deviceID)
      members.append(
        NearbyMachines.Member(
          deviceID: peer.device.deviceID, name: peer.device.name, role: peer.device.role,
          addresses: endpoints.prefix(16).map(\.description), isConnected: await link?.current != nil,
          isAnswering: await link?.isAnswering(at: endpoints),
          lastSeenAt: await link?.lastSeenAt ?? peer.device.lastSeenAt))
    }
    return NearbyMachines(
      members: members.sorted { ($0.name.text, $0.deviceID.description) < ($1.name.text, $1.deviceID.description) },
      invitations: Array(seen.invitations.prefix(Int(Limits.discriminators))), others: seen.others,
      discovery: await discovery.stateText)
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
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, 128, file) != nil else { return 0 }
    let fields = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return (fields.count > 1 ? Int64(fields[1]) ?? 0 : 0) * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }
}
