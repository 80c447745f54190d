import LatchkeyHousehold
import LatchkeyModel
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
  ) { call in try await call.devices() }

  package static let getNearby = Endpoint(
    .get, "/v1/nearby", summary: "What announces itself on the network now."
  ) { call in try await call.nearby() }

  public static let renameDevice = Endpoint(
    .post, "/v1/devices/{device}/rename", Path.device, Body.json(RenameRequest.self),
    errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary: "Gives a device another name, also the node's own, or says whose it is."
  ) { call, device, request in try await call.rename(device, request) }

  package static let adoptRules = Endpoint(
    .post, "/v1/devices/{device}/adopt", Path.device, errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary:
      "Sets again what this parent had set and has lost, as a child's machine says that it holds it, and says what that was."
  ) { call, device in try await call.adopt(device) }

  package static let releaseDevice = Endpoint(
    .post, "/v1/devices/{device}/release", Path.device, errors: [.unknownDevice, .ambiguousDevice, .tooLate],
    summary: "Ends the quarantine of a device."
  ) { call, device in try await call.release(device) }
}

extension Call {
  fileprivate func devices() async throws -> [PeerStatus] { try await devices(peers(), otherParents()) }

  func devices(_ peers: [PeerRecord], _ otherParents: [DeviceID: [OtherParent]]) async throws -> [PeerStatus] {
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

  fileprivate func release(_ device: String) async throws -> PeerStatus {
    let peer = try await listedDevice(device)
    let id = peer.device.deviceID
    let wasQuarantined = try await store.release(id, at: context.wall())
    // Also one that the disk refused to keep, and that holds until the node is started again.
    guard wasQuarantined || peer.marks.contains(.quarantined) else {
      throw LocalAPIError(
        .tooLate, phrase: "“{machine}” is not quarantined: see `latchkey devices show` for what holds it up.",
        ["machine": .text(peer.device.name.text)])
    }
    try await directory.refresh(id)
    forget()
    context.changes.notify()
    guard let status = try await devices().first(where: { $0.device.deviceID == id }) else {
      throw LocalAPIError(StoreError.noSuchPeer)
    }
    return status
  }

  fileprivate func rename(_ device: String, _ request: RenameRequest) async throws -> RenameResult {
    let name = try request.name.map(DeviceName.init(asked:))
    let childName = try request.childName.map { try $0.isEmpty ? "" : DeviceName(asked: $0).text }
    guard name != nil || childName != nil else {
      throw LocalAPIError(.invalid, phrase: "Nothing is to be changed: give a new name, or say whose machine it is.")
    }
    if try await isOwn(device) { return try await renameSelf(name, childName) }
    let peer = try await self.device(device)
    guard role == .parent else {
      throw LocalAPIError(
        .wrongRole,
        phrase:
          "A child's machine names itself alone: rename “{machine}” there, or this one with `latchkey devices rename --self`.",
        ["machine": .text(peer.device.name.text)])
    }
    if let name { try await checkFree(name, except: peer.device.deviceID) }
    let id = peer.device.deviceID
    let isOfChild = peer.device.role == .child
    let label = isOfChild ? nil : childName
    if name != nil || label != nil {
      try await store.rename(id, to: name, childName: label, at: context.wall())
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

  private func checkFree(_ name: DeviceName, except device: DeviceID) async throws {
    var taken = try await active().filter { $0.device.deviceID != device }
      .flatMap { DeviceSearch.Label($0.device).names }
    if device != own { taken.append(context.name) }
    guard taken.contains(where: { $0.text.lowercased() == name.text.lowercased() }) else { return }
    throw LocalAPIError(
      .invalid, phrase: "Another machine, or its child, is called “{name}” already: choose another name.",
      ["name": .text("\(name)")])
  }

  /// Returns whether a register's time is close enough to this machine's clock.
  func mayTakeOver(_ register: Register) -> Bool {
    HybridTimestamp.mayWitness(register.modified.wall, at: context.wall())
  }

  /// Sets again what this machine had set and has lost, as a child's machine says that it holds it.
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

public struct RenameResult: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var childName: String?
  public var isOwn: Bool
  /// The devices that will hear of the change in their next session.
  public var untold: [DeviceName]
  /// The log-in names of its accounts that were a child's and are no child's any more, since it is
  /// not that child's device any more.
  public var unassigned: [String] = []

  /// Returns what was changed, in sentences; `isRenamed` for another name and not owner.
  package func phrases(isRenamed: Bool) -> [Phrase] {
    let machine = name.quotation
    var phrases: [Phrase] = []
    if !isRenamed {
      phrases.append(
        childName.map {
          Phrase("{machine} belongs to {child} now.", ["machine": machine, "child": .text(PrintableText.of($0))])
        } ?? Phrase("{machine} belongs to no child now.", ["machine": machine]))
    } else if isOwn {
      phrases.append(Phrase("This machine is called {machine} now.", ["machine": machine]))
      let names = Phrase.Argument.list(untold.map { $0.quotation })
      if !untold.isEmpty {
        phrases.append(Phrase("{machines} will hear of it when next in touch.", ["machines": names]))
      }
    } else {
      phrases.append(Phrase("It is called {machine} now.", ["machine": machine]))
      if !untold.isEmpty { phrases.append(Phrase("The machine itself will hear of it when next in touch.")) }
    }
    if let first = unassigned.first {
      phrases.append(
        Phrase(
          one: "The account {accounts} there is no child's any more: say whose it is with `latchkey accounts assign`.",
          other:
            "The accounts {accounts} there are no child's any more: say whose they are with `latchkey accounts assign`.",
          count: unassigned.count,
          [
            "accounts": unassigned.count == 1
              ? .text(PrintableText.of(first)) : .list(unassigned.map { .text(PrintableText.of($0)) })
          ]))
    }
    return phrases
  }
}

/// A setting of this machine's that it had lost and has taken over again from a child's machine.
package struct AdoptedSetting: Hashable, Sendable, Codable {
  package var key: RegisterKey
  /// The value, in the form that is stored; `nil` if the register was deleted.
  package var value: String?
  package var words: String
}

extension DeviceName {
  /// Creates the name that a caller gives; it is the caller's fault if it is none.
  init(asked text: String) throws(LocalAPIError) {
    do { try self.init(text) } catch { throw LocalAPIError(.invalid, phrase: error.phrase) }
  }
}
