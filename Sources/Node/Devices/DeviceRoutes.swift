import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore

/// The machines of the household.
///
/// Spec: Protocol/04-session.md §3.
extension Endpoints {
  static let deviceRoutes: [any ServedEndpoint] = [
    getDevices, getNearby, deleteDevice, forgetDevice, renameDevice, adoptRules, releaseDevice, getConditions,
  ]

  package static let getDevices = Endpoint(
    .get, "/v1/devices", browsers: .look,
    summary: "The paired devices, and the removed ones that have not heard of their removal."
  ) { call in
    try await call.devices()
  }

  package static let getNearby = Endpoint(
    .get, "/v1/nearby", summary: "What announces itself on the network now."
  ) { call in
    try await call.nearby()
  }

  package static let deleteDevice = Endpoint(
    .delete, "/v1/devices/{device}", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device and lets it know."
  ) { call, device in
    try await call.unpair(device)
  }

  package static let forgetDevice = Endpoint(
    .post, "/v1/devices/{device}/forget", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device in any state, without a word to it."
  ) { call, device in
    try await call.remove(device)
  }

  public static let renameDevice = Endpoint(
    .post, "/v1/devices/{device}/rename", Path.device, Body.json(RenameRequest.self),
    errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary: "Gives a device another name, also the node's own, or says whose it is."
  ) { call, device, request in
    try await call.rename(device, request)
  }

  package static let adoptRules = Endpoint(
    .post, "/v1/devices/{device}/adopt", Path.device, errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary:
      "Sets again what this parent had set and has lost, as a child's machine says that it holds it, and says what that was."
  ) { call, device in
    try await call.adopt(device)
  }

  package static let releaseDevice = Endpoint(
    .post, "/v1/devices/{device}/release", Path.device, errors: [.unknownDevice, .ambiguousDevice, .tooLate],
    summary: "Ends the quarantine of a device."
  ) { call, device in
    try await call.release(device)
  }

  package static let getConditions = Endpoint(
    .get, "/v1/conditions",
    browsers: .look,
    summary:
      "What weakens the rules on children's machines, such as an account that may become root; on a child its own."
  ) { call in
    try await call.conditions()
  }
}

extension Call {
  /// Returns the paired devices, and the removed ones that have not heard of their removal.
  fileprivate func devices() async throws -> [PeerStatus] {
    try await devices(peers(), otherParents())
  }

  func devices(
    _ peers: [PeerRecord], _ otherParents: [DeviceID: [OtherParent]]
  ) async throws -> [PeerStatus] {
    var devices: [PeerStatus] = []
    for peer in peers where peer.isListed {
      if let link = await directory.link(peer.device.deviceID) {
        devices.append(try await link.status())
      } else {
        devices.append(
          PeerStatus(
            device: peer.device, isConnected: false, address: nil, sync: .idle, queues: [], lastError: nil,
            marks: peer.marks))
      }
      guard role == .parent else { continue }
      devices[devices.count - 1].otherParents = otherParents[peer.device.deviceID]
    }
    return devices
  }

  /// Returns the machines that announce themselves on the network.
  fileprivate func nearby() async throws -> NearbyMachines {
    let seen = await node.discovery.nearby()
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
      discovery: await node.discovery.stateText)
  }

  /// Removes a device and tells it.
  fileprivate func unpair(_ device: String) async throws -> UnpairResult {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    if peer.state == .removedUntold {
      return UnpairResult(device: peer.device, wasTold: false, cancelledCommands: 0)
    }
    let removal = RemovalNotice.make(by: context.identity, sender: own, receiver: id)
    let removed = try await store.remove(id, removal: removal, itemID: Array(context.runID), at: context.wall())
    try await directory.removed(id)
    let link = await directory.link(id)
    try await handOut(removed.rotations)
    // A connected device hears of it at once; one that is away when it next calls.
    try await context.changes.first(until: context.now() + 2_000, pace: 100) {
      guard await link?.isDone == false else { return () }
      return try await isGone(id) ? () : nil
    }
    return Self.report(peer, removed, wasTold: try await isGone(id))
  }

  /// Removes a device in any state without telling it, and erases its keys.
  fileprivate func remove(_ device: String) async throws -> UnpairResult {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    let removed = try await store.remove(id, removal: nil, itemID: [], at: context.wall())
    await directory.link(id)?.vanish()
    try await directory.refresh(id)
    try await handOut(removed.rotations)
    return Self.report(peer, removed, wasTold: false)
  }

  /// Ends the quarantine of a device.
  fileprivate func release(_ device: String) async throws -> PeerStatus {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    let wasQuarantined = try await store.release(id, at: context.wall())
    // Also one that the disk refused to keep, and that holds until the node is started again.
    guard wasQuarantined || peer.marks.contains(.quarantined) else {
      throw LocalAPIError(
        .tooLate,
        phrase: Phrase(
          "“{machine}” is not quarantined: see `latchkey devices show` for what holds it up.",
          ["machine": .text(peer.device.name.text)]))
    }
    try await directory.refresh(id)
    forget()
    context.changes.notify()
    guard let status = try await devices().first(where: { $0.device.deviceID == id }) else {
      throw LocalAPIError(StoreError.noSuchPeer)
    }
    return status
  }

  /// Signals new keys to the links of the remaining devices, and the household's new discovery key
  /// to all links.
  private func handOut(_ rotations: [OutboxChange]) async throws {
    try await context.reloadDiscoveryKeys()
    try await directory.handOut(rotations)
    forget()
    context.changes.notify()
  }

  private func isGone(_ device: DeviceID) async throws -> Bool {
    try await store.peers().contains { $0.device.deviceID == device && $0.state == .removed }
  }

  private static func report(_ peer: PeerRecord, _ removed: RemovalResult, wasTold: Bool) -> UnpairResult {
    var gone = peer.device
    gone.state = .removed
    return UnpairResult(
      device: gone, wasTold: wasTold, cancelledCommands: removed.cancelled.count,
      cancelled: Array(removed.cancelled.prefix(UnpairResult.namedCommands)), droppedItems: removed.droppedItems)
  }
}

extension Call {
  /// Renames a device, or assigns it to a child.
  fileprivate func rename(_ device: String, _ request: RenameRequest) async throws -> RenameResult {
    var name: DeviceName?
    if let text = request.name {
      do { name = try DeviceName(text) } catch { throw LocalAPIError(.invalid, phrase: error.phrase) }
    }
    var childName: String?
    if let text = request.childName {
      do { childName = try text.isEmpty ? "" : DeviceName(text).text } catch {
        throw LocalAPIError(.invalid, phrase: error.phrase)
      }
    }
    guard name != nil || childName != nil else {
      throw LocalAPIError(.invalid, phrase: "Nothing is to be changed: give a new name, or say whose machine it is.")
    }
    if try await isOwn(device) { return try await renameSelf(name, childName) }
    let peer = try await self.device(device)
    guard role == .parent else {
      throw LocalAPIError(
        .wrongRole,
        phrase: Phrase(
          """
          A child's machine names itself alone: rename “{machine}” there, or this one with `latchkey devices rename --self`.
          """, ["machine": .text(peer.device.name.text)]))
    }
    if let name { try await checkFree(name, except: peer.device.deviceID) }
    let (id, newName) = (peer.device.deviceID, name)
    let isOfChild = peer.device.role == .child
    let label = isOfChild ? nil : childName
    if newName != nil || label != nil {
      try await store.rename(id, to: newName, childName: label, at: context.wall())
      try await directory.refresh(id)
      forget()
    }
    var unassigned: [String] = []
    if isOfChild, let childName { unassigned = try await setOwner(of: id, to: childName) }
    context.changes.notify()
    let isConnected = await directory.link(id)?.current != nil
    let renamed = try await store.peer(id) ?? peer
    return RenameResult(
      deviceID: id, name: renamed.device.name, childName: renamed.device.childName, isOwn: false,
      untold: name == nil || isConnected ? [] : [renamed.device.name], unassigned: unassigned)
  }

  private func renameSelf(_ name: DeviceName?, _ childName: String?) async throws -> RenameResult {
    guard let name, childName == nil else {
      throw LocalAPIError(.invalid, phrase: "Whose machine it is, a parent's machine says: run this there.")
    }
    try await checkFree(name, except: own)
    let label = try await store.rename(to: name, at: context.wall())
    await directory.renamed(label)
    var untold: [DeviceName] = []
    for peer in try await active() {
      let isConnected = await directory.link(peer.device.deviceID)?.current != nil
      if !isConnected { untold.append(peer.device.name) }
    }
    return RenameResult(deviceID: own, name: name, childName: nil, isOwn: true, untold: untold)
  }

  /// Returns whether a text names the node's own device; paired devices take precedence.
  private func isOwn(_ text: String) async throws -> Bool {
    if DeviceID(text) == own { return true }
    guard text.lowercased() == context.name.text.lowercased() else { return false }
    return try await !active().contains { $0.device.name.text.lowercased() == text.lowercased() }
  }

  /// Throws if another device of the family is called so.
  private func checkFree(_ name: DeviceName, except device: DeviceID) async throws {
    var taken = try await active().filter { $0.device.deviceID != device }
      .flatMap { DeviceSearch.Label($0.device).names }
    if device != own { taken.append(context.name) }
    guard taken.contains(where: { $0.text.lowercased() == name.text.lowercased() }) else { return }
    throw LocalAPIError(
      .invalid,
      phrase: Phrase(
        "Another machine, or its child, is called “{name}” already: choose another name.",
        ["name": .text("\(name)")]))
  }
}

/// Rules that this machine has lost.
extension Call {
  /// Returns whether the time of a register that a machine tells of is close enough to this
  /// machine's clock.
  func mayTakeOver(_ register: Register) -> Bool {
    HybridTimestamp.mayWitness(register.modified.wall, at: context.wall())
  }

  /// Sets again what this machine had set, has lost since, and a child's machine says that it
  /// holds.
  fileprivate func adopt(_ device: String) async throws -> [AdoptedSetting] {
    let peer = try await self.device(device)
    guard role == .parent, peer.device.role == .child else {
      throw LocalAPIError(
        .wrongRole, phrase: "Rules are taken over on a parent's machine, from a child's: run this there.")
    }
    let id = peer.device.deviceID
    let lost = try await household().lost[id]?.filter(mayTakeOver) ?? []
    try await store.settleSetBack(id, hasLost: !lost.isEmpty)
    if !lost.isEmpty { try await edit(lost.map { RegisterChange($0.zone, $0.key, $0.value) }) }
    context.changes.notify()
    return lost.map { AdoptedSetting(key: $0.key, value: $0.shownValue, words: HouseholdKey.phrase([$0])) }
  }
}

/// What weakens the rules.
extension Call {
  /// Returns the conditions of children's machines; on a child's node its own.
  func conditions() async throws -> [ConditionListing] {
    let household = try await household()
    let known = try await store.inventories(MachineCondition.self)
    let isOfApps = known.values.contains { $0.entries.contains(where: \.isOfApplication) }
    let terms = isOfApps ? try await appTerms(household) : RuleTerms()
    if role == .child {
      let accounts = try await accounts(on: nil).map(\.account)
      return (known[own]?.entries ?? []).map { listing($0, of: own, context.name, accounts, terms, household) }
    }
    let heard = Dictionary(
      try await listed().map { ($0.device.deviceID, $0.device.lastSeenAt) }, uniquingKeysWith: { first, _ in first })
    return household.machines.flatMap { machine in
      (known[machine.device]?.entries ?? []).map { condition in
        var listing = listing(condition, of: machine.device, machine.name, machine.accounts, terms, household)
        listing.heardAt = heard[machine.device] ?? nil
        return listing
      }
    }
  }

  private func listing(
    _ condition: MachineCondition, of device: DeviceID, _ name: DeviceName, _ accounts: [Account], _ terms: RuleTerms,
    _ household: Household
  ) -> ConditionListing {
    let sharers = condition.account.map { household.sharers(of: $0, on: device) } ?? []
    let isOfPINs = condition.name == "pin-missing"
    return ConditionListing(
      deviceID: device, deviceName: name, isOwn: device == own, condition: condition,
      accountName: condition.account.map { account in
        accounts.first { $0.uid == account }?.name ?? String(account)
      }, app: terms.told(condition),
      children: sharers.filter { isOfPINs && household.rules(for: $0).pin == nil }.map { household.title(of: $0) })
  }
}
