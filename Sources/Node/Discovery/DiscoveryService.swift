import Glibc
import LatchkeyDiscovery
import LatchkeyModel
import LatchkeyProtocol

/// A service that announces this node, recognizes the household's members in announcements, and
/// informs their links.
///
/// Spec: Protocol/02-discovery.md.
actor DiscoveryService {
  private let context: NodeContext
  private let directory: LinkDirectory
  /// The discovery over mDNS; `nil` for a node whose peers a person names.
  private let discovery: MulticastDiscovery?
  private var members: KnownMembers { context.members }
  private let port: UInt16
  private var services: [String: DiscoveredService] = [:]
  private var owners: [String: DeviceID] = [:]
  private var instance = RandomLabel.make()
  private var openDiscriminators: [UInt16] = []
  private var wantedUntil: BootInstant?
  /// The time since which all announcements have been wanted without a break.
  private var wantedSince: BootInstant?
  private var attention = Attention.none
  /// The discovery back end in use, for `status`.
  private(set) var stateText = DiscoveryBackend.starting.rawValue
  /// Signals that a service was found or lost.
  nonisolated let changes = ChangeSignal()
  /// The time for which all announcements are followed after a request, in milliseconds.
  private static let attentionSpan: Int64 = 4_000
  /// The time that answers to a query may take, in milliseconds.
  private static let answers: Int64 = 1_200

  init(context: NodeContext, directory: LinkDirectory, port: UInt16) {
    (self.context, self.directory, self.port) = (context, directory, port)
    discovery =
      context.configuration.discovers
      ? MulticastDiscovery(
        configuration: DiscoveryConfiguration(interfaces: context.configuration.interfaces, attention: .none),
        isOfInterest: { [members = context.members] in members.isOfInterest($0) })
      : nil
  }

  func run() async {
    await takeMembers()
    attention = Self.attention(of: context)
    discovery?.attend(attention)
    if discovery == nil { await take(.state(.running(.fixed))) }
    await withTaskGroup(of: Void.self) { [discovery] group in
      if let discovery {
        group.addTask { await discovery.run() }
        group.addTask { for await event in discovery.events { await self.take(event) } }
      }
      group.addTask { await self.keepAnnouncing() }
      group.addTask {
        await self.context.discoveryKeyChanges.follow(after: nil) {
          await self.keysOrMembersChanged()
          return nil
        }
      }
      group.addTask { await self.keepLooking() }
      await group.waitForAll()
    }
  }

  func announce(discriminators: [UInt16]) {
    guard discriminators != openDiscriminators else { return }
    openDiscriminators = discriminators
    advertise()
  }

  /// Changes the announced name, so that the machine cannot be recognized on another network.
  func networkChanged() {
    instance = RandomLabel.make()
    advertise()
  }

  /// Announces with changed keys or members of the household, and checks all announcements again.
  func keysOrMembersChanged() async {
    await takeMembers()
    advertise()
    discovery?.lookAgain()
    for service in services.values { await recognise(service) }
  }

  /// Takes over which devices are paired with this one, and the keys with which they announce
  /// themselves.
  func takeMembers() async {
    let devices = await directory.all.map(\.peer)
    members.set(keys: context.discoveryKeys, devices: devices)
  }

  /// Returns the announced endpoints of machines with an open code of this discriminator.
  func endpoints(discriminator: UInt16) async -> [(endpoint: SocketEndpoint, instance: String)] {
    want(for: Self.attentionSpan)
    return others.filter { $0.codes.contains(discriminator) }
      .flatMap { service in service.endpoints.map { ($0, service.instanceName) } }
  }

  /// The first two symbols of each open code that others announce, in order.
  func openCodes() -> [String] { Set(others.flatMap(\.codes).map { TypedCode.prefix(discriminator: $0) }).sorted() }

  /// Returns every open code that others announce, with the addresses.
  func invitations() async -> [NearbyInvitations.Invitation] {
    want(for: Self.attentionSpan)
    var found: [String: [String]] = [:]
    for service in others {
      for discriminator in service.codes {
        found[TypedCode.prefix(discriminator: discriminator), default: []] += service.endpoints.map(\.description)
      }
    }
    return found.sorted { $0.key < $1.key }
      .map { NearbyInvitations.Invitation(prefix: $0.key, addresses: Array($0.value.prefix(64))) }
  }

  /// Returns the announced paired devices, open codes, and the number of other announcements.
  func nearby() async -> (members: [DeviceID: [SocketEndpoint]], invitations: [String], others: Int) {
    want(for: Self.attentionSpan)
    // Answers arrive within this time. If everything has been wanted for longer, they are known
    // already.
    let rest = Self.answers - (wantedSince.map { context.now() - $0 } ?? 0)
    if rest > 0 { try? await Task.sleep(for: .milliseconds(rest)) }
    var members: [DeviceID: [SocketEndpoint]] = [:]
    var unknown = 0
    for service in others {
      if let owner = owners[service.instanceName] {
        members[owner, default: []] += service.endpoints
      } else if service.codes.isEmpty {
        unknown += 1
      }
    }
    return (members, openCodes(), unknown)
  }

  /// Requests all announcements for a number of milliseconds from now.
  func want(for milliseconds: Int64) {
    let end = context.now() + milliseconds
    wantedUntil = wantedUntil.map { max($0, end) } ?? end
    if wantedSince == nil { wantedSince = context.now() }
    members.isEverybodyWanted = true
  }

  /// Adjusts the effort with which the network is searched to the present need.
  private func keepLooking() async {
    await members.changes.follow {
      let rest = wantedUntil.map { $0 - context.now() } ?? 0
      if rest <= 0 {
        wantedSince = nil
        members.isEverybodyWanted = false
      }
      await takeMembers()
      let next = Self.attention(of: context)
      if next != attention {
        attention = next
        discovery?.attend(next)
      }
      if next != .none {
        discovery?.lookAgain()
        // Changes that occur in quick succession are handled together.
        try? await Task.sleep(for: .milliseconds(100))
      }
      return rest > 0 ? rest : nil
    }
  }

  private static func attention(of context: NodeContext) -> Attention {
    if context.members.isEverybodyWanted { return .full }
    guard context.members.count > 0 else { return .none }
    // The parent always searches, since it may miss many children, while each of them misses one
    // parent.
    if context.profile.role == .parent { return .full }
    // A connected child also listens, so that it learns of a peer that has moved before it gives up
    // the session.
    let misses = context.members.isAnybodyMissed
    return Attention.isCrowd(context.crowd) && !misses ? .none : .patient(crowd: context.crowd, misses: misses)
  }

  private func keepAnnouncing() async {
    advertise()
    // The name changes every hour, so that a machine cannot be tracked by its announcements.
    await ChangeSignal().follow(after: Self.rotation) {
      instance = RandomLabel.make()
      advertise()
      return Self.rotation
    }
  }

  private func advertise() {
    let nonce = SecureRandom.bytes(8)
    var text: [String: [UInt8]] = ["v": Array("1".utf8), "n": nonce]
    if let key = context.discoveryKey {
      text["h"] = DiscoveryHint.make(discoveryKey: key, nonce: nonce, device: context.own)
    }
    if !openDiscriminators.isEmpty { text["d"] = OpenCodesText.bytes(openDiscriminators) }
    discovery?.advertise(ServiceAdvertisement(instanceName: instance, port: port, text: text))
  }

  private func take(_ event: DiscoveryEvent) async {
    switch event {
    case .found(let service):
      guard service.instanceName != instance else { return }
      if services[service.instanceName] == nil, services.count >= Limits.announcements {
        // A device of the household is kept, no matter how many unknown ones are announced.
        guard let stranger = services.keys.first(where: { owners[$0] == nil }) else { return }
        services[stranger] = nil
      }
      services[service.instanceName] = service
      context.nearby = services.count
      await recognise(service)
      changes.notify()
    case .lost(let name):
      services[name] = nil
      context.nearby = services.count
      changes.notify()
      if let owner = owners.removeValue(forKey: name) { await directory.link(owner)?.lost(instance: name) }
    case .networkChanged: context.networkChanges.notify()
    case .renamed(let from, let to):
      if instance == from { instance = to }
    case .state(let state):
      stateText = state.text
      context.logger.info("discovery", metadata: ["state": "\(stateText)"])
      context.changes.notify()
    }
  }

  private func recognise(_ service: DiscoveredService) async {
    // A device that was paired a moment ago is in the directory before its announcements are
    // handled.
    await takeMembers()
    guard let owner = members.owner(service.text), let link = await directory.link(owner) else { return }
    if owners.updateValue(owner, forKey: service.instanceName) == nil {
      context.logger.info("a paired device is announced over mDNS", metadata: ["peer": "\(owner.short)"])
    }
    let endpoints = service.endpoints
    if !endpoints.isEmpty { await link.discovered(endpoints, instance: service.instanceName) }
  }

  /// The announcements of other nodes, in the order of their names.
  private var others: [DiscoveredService] {
    services.values.filter { $0.instanceName != instance }.sorted { $0.instanceName < $1.instanceName }
  }

  /// The time for which a name is used, in milliseconds.
  #if DEBUG
    // A test can simulate a day in a minute.
    private static let rotation =
      (getenv("LATCHKEY_ROTATE_SECONDS").flatMap { Int64(String(cString: $0)) } ?? 3_600) * 1_000
  #else
    private static let rotation: Int64 = 3_600_000
  #endif
}
