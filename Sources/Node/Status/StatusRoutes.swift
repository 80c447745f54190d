import Glibc
import LatchkeyHousehold
import LatchkeyModel
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
  ) { call in call.syncStates() }

  package static let syncNow = Endpoint(
    .post, "/v1/sync", Query.device, browsers: .parent, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Tries at once to reach a device, or all, and repeats what is held. Does not wait."
  ) { call, device in try await call.syncNow(device) }
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
      return exchange(&last, with: state) == state ? [] : [state]
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
    // A peer may claim to have assigned any number.
    func sum(_ numbers: [UInt64]) -> UInt64 { UInt64(clamping: numbers.reduce(Int128(0)) { $0 + Int128($1) }) }
    let parts = states.compactMap { state -> (done: UInt64, total: UInt64)? in
      if case .syncing(let done, let total) = state { (done, total) } else { nil }
    }
    if !parts.isEmpty { return .syncing(done: sum(parts.map(\.done)), total: sum(parts.map(\.total))) }
    if states.contains(.connecting) { return .connecting }
    if let error = states.last(where: { if case .error = $0 { true } else { false } }) { return error }
    let times = states.compactMap { state -> Int64? in if case .synced(let at) = state { at } else { nil } }
    return times.max().map { .synced(at: $0) } ?? .idle
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

/// The warnings of the node's state, each with its next step.
extension Call {
  func warnings(_ overview: StoreOverview) async throws -> [String] {
    try await context.warnings + [context.folder.parentWarning].compactMap { $0 } + setBackWarnings(overview)
      + lostSettingWarnings(household()) + unusableWarnings(overview) + refusalWarnings(overview)
      + lossWarnings(overview) + renamingWarnings(overview) + ledgerWarnings(overview)
  }

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

  private func renamingWarnings(_ overview: StoreOverview) -> [String] {
    guard role == .parent else { return [] }
    return overview.renamings.map { renaming in
      "“\(renaming.before)” was renamed and is called “\(renaming.name)” now: if that is not right, run `latchkey devices rename "
        + "\(renaming.device.short) --to` with the name that you want."
    }
  }

  /// Returns the warnings about usage that children's machines dropped because their queues were
  /// full.
  private func lossWarnings(_ overview: StoreOverview) -> [String] {
    overview.losses.map { loss in
      "“\(name(loss.device, overview.peers))” had no room for \(loss.sessions) sessions of use (\(loss.activeMilliseconds / 60_000) "
        + "minutes), which are missing here: keep the two machines in touch, or let more wait with `latchkey run --queue-items`."
    }
  }

  /// Returns a warning for each child's machine that reports settings of this machine which are not
  /// known here.
  private func lostSettingWarnings(_ household: Household) -> [String] {
    household.machines.compactMap { machine in
      guard let lost = household.lost[machine.device] else { return nil }
      let what = HouseholdKey.phrase(lost)
      guard lost.contains(where: mayTakeOver) else {
        return
          "“\(machine.name)” says that it holds settings of this machine's that are not known here (\(what)), with a time more "
          + "than a day ahead of this machine's clock. If a clock is wrong, set it right. If not, somebody has changed that "
          + "machine's files: unpair it, remove its state folder, and pair it again."
      }
      return
        "“\(machine.name)” says that it holds settings of this machine's that are not known here: \(what). If this machine was "
        + "restored from a backup, take them over with `latchkey report adopt --on "
        + "\(ShellWord.machine(machine.name, machine.device))`, or set them again as you want them. If not, find out who can "
        + "change that machine's files."
    }
  }

  private func unusableWarnings(_ overview: StoreOverview) -> [String] {
    overview.unusableItems.map { unusable in
      "“\(name(unusable.device, overview.peers))” sent \(unusable.items == 1 ? "an item" : "\(unusable.items) items") that this machine "
        + "did not take. \(unusable.items == 1 ? "The reason" : "The last reason"): \(unusable.reason) Update Latchkey on both "
        + "machines; if more such items come, find out who can change that machine's files."
    }
  }

  private func refusalWarnings(_ overview: StoreOverview) async throws -> [String] {
    if overview.refusedInAll.isEmpty { return [] }
    let tallies = try await context.store.refusals()
    return overview.refusedInAll.sorted { $0.key < $1.key }.map { device, total in
      let parts = tallies.filter { $0.device == device }.map { tally in
        "\(Self.words(tally.kind, tally.items)), which \(tally.reason.words)"
      }
      let what = total == 1 ? "an item" : "\(total) items"
      let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
      let records = tallies.contains { $0.device == device && $0.kind == .usageRecord }
      return "“\(name(device, overview.peers))” refused \(what) of this machine\(detail): "
        + (records ? "`latchkey usage list` marks the records, which are kept here and missing there. " : "")
        + "Update Latchkey on both machines."
    }
  }

  private static func words(_ kind: ItemKind, _ items: Int64) -> String {
    let (one, several) =
      switch kind {
      case .receipt: ("answer to a command", "answers to commands")
      case .usageRecord: ("record of use", "records of use")
      case .usageLoss: ("report of lost use", "reports of lost use")
      default: ("item", "items")
      }
    return items == 1 ? "1 \(one)" : "\(items) \(several)"
  }

  private func ledgerWarnings(_ overview: StoreOverview) async throws -> [String] {
    let counts = overview.facts
    guard let most = FactRegistry.household.definition(.ledger)?.most else { return [] }
    let full = counts.filter { $0.value >= most / 10 * 9 }
    if full.isEmpty { return [] }
    let household = try await household()
    return full.sorted { $0.key < $1.key }.map { child, count in
      Self.ledgerWarning(household.name(of: child) ?? "a child", count: count, most: most)
    }
  }

  static func ledgerWarning(_ child: String, count: Int, most: Int) -> String {
    let name = DeviceName(sanitising: child)
    let remedy =
      "On a parent's machine, note what `latchkey points` says, run `latchkey children remove` and `latchkey children add` "
      + "for \(name), and give the points again with `latchkey points adjust`."
    guard count < most else {
      return
        "There is no room for more changes of \(name)'s points (\(most)): learning earns nothing, and rewards cost "
        + "nothing. \(remedy)"
    }
    return
      "\(name)'s points have room for \(most - count) more changes; after that, nothing is earned or charged. \(remedy)"
  }
}
