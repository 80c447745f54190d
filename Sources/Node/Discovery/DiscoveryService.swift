import Glibc
import LatchkeyCrypto
import LatchkeyDiscovery
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport
import Logging

/// Announces this node, recognises the household's members among what is announced, and tells their links.
///
/// Spec: Protocol/02-discovery.md.
actor DiscoveryService {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let discovery: any PeerDiscovery
  private var members: KnownMembers { context.members }
  private let port: UInt16
  private var services: [String: DiscoveredService] = [:]
  private var owners: [String: DeviceID] = [:]
  private var instance = DiscoveryService.newInstance()
  private var openDiscriminators: [UInt16] = []
  /// Until when somebody wants to know of all that is announced.
  private var wantedUntil: BootInstant?
  /// Since when, without a break.
  private var wantedSince: BootInstant?
  /// How much the network is asked.
  private var attention = Attention.none
  /// What finds peers, for `status`.
  private(set) var stateText = "starting"
  /// Something was found or lost.
  nonisolated let changes = ChangeSignal()
  /// Milliseconds for which everything is followed after somebody asked.
  private static let attentionSpan: Int64 = 4_000
  /// Milliseconds that answers to a question on the network may take.
  private static let answers: Int64 = 1_200
  /// Services kept at most; what announces itself beyond that is passed over.
  private static let maximumServices = 512

  init(context: NodeContext, directory: LinkDirectory, port: UInt16) {
    self.context = context
    self.directory = directory
    self.port = port
    discovery =
      context.configuration.discovers
      ? AutomaticDiscovery(
        configuration: DiscoveryConfiguration(interfaces: context.configuration.interfaces, attention: .none)
      ) {
        [members = context.members] in members.isOfInterest($0)
      }
      : StaticDiscovery()
  }

  func run() async {
    await takeMembers()
    attention = Self.attention(of: context)
    await discovery.attend(attention)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.discovery.run() }
      group.addTask { for await event in self.discovery.events { await self.take(event) } }
      group.addTask { await self.keepAnnouncing() }
      group.addTask { await self.followHousehold() }
      group.addTask { await self.keepLooking() }
      await group.waitForAll()
    }
  }

  /// Announce the open pairing codes, or that there is none any more.
  func announce(discriminators: [UInt16]) async {
    guard discriminators != openDiscriminators else { return }
    openDiscriminators = discriminators
    await advertise()
  }

  /// The machine is on another network, where nothing is to tell that it is the same one.
  func networkChanged() async {
    instance = Self.newInstance()
    await advertise()
  }

  /// The household's key or members have changed: announce with it and look at everything again.
  func householdChanged() async {
    await takeMembers()
    await advertise()
    await discovery.lookAgain()
    for service in services.values { await recognise(service) }
  }

  private func takeMembers() async {
    let devices = await directory.all.map(\.peer)
    members.set(keys: context.discoveryKeys, devices: devices)
  }

  private func followHousehold() async {
    var seen = context.householdChanges.version
    while !Task.isCancelled {
      await context.householdChanges.wait(after: seen)
      seen = context.householdChanges.version
      await householdChanged()
    }
  }

  /// Where a machine with an open code of this discriminator is, as far as it is announced.
  func endpoints(discriminator: UInt16) async -> [(endpoint: SocketEndpoint, instance: String)] {
    want(for: Self.attentionSpan)
    return services.values.filter { Self.isOurVersion($0) && $0.instanceName != instance }
      .filter { OpenCodesText.discriminators($0.text["d"]).contains(discriminator) }
      .sorted { $0.instanceName < $1.instanceName }
      .flatMap { service in Self.endpoints(service).map { ($0, service.instanceName) } }
  }

  /// The first two symbols of each open code that others announce, in order.
  func openCodes() -> [String] {
    var prefixes: Set<String> = []
    for service in services.values where Self.isOurVersion(service) && service.instanceName != instance {
      prefixes.formUnion(OpenCodesText.discriminators(service.text["d"]).map { TypedCode.prefix(discriminator: $0) })
    }
    return prefixes.sorted()
  }

  /// Every open code that is announced by others.
  func invitations() async -> [NearbyInvitations.Invitation] {
    want(for: Self.attentionSpan)
    var found: [String: [String]] = [:]
    for service in services.values where Self.isOurVersion(service) && service.instanceName != instance {
      for discriminator in OpenCodesText.discriminators(service.text["d"]) {
        found[TypedCode.prefix(discriminator: discriminator), default: []] += Self.endpoints(service).map(\.description)
      }
    }
    return found.sorted { $0.key < $1.key }
      .map { NearbyInvitations.Invitation(prefix: $0.key, addresses: Array($0.value.prefix(64))) }
  }

  /// What announces itself now: those recognised as paired devices, open codes, and how many others there are.
  func nearby() async -> (members: [DeviceID: [SocketEndpoint]], invitations: [String], others: Int) {
    want(for: Self.attentionSpan)
    // What answers does so within this; who has been looking for longer knows already.
    let rest = Self.answers - (wantedSince.map { context.now() - $0 } ?? 0)
    if rest > 0 { try? await Task.sleep(for: .milliseconds(rest)) }
    var members: [DeviceID: [SocketEndpoint]] = [:]
    var prefixes: Set<String> = []
    var others = 0
    for service in services.values.sorted(by: { $0.instanceName < $1.instanceName })
    where service.instanceName != instance {
      let codes = Self.isOurVersion(service) ? OpenCodesText.discriminators(service.text["d"]) : []
      prefixes.formUnion(codes.map { TypedCode.prefix(discriminator: $0) })
      if let owner = owners[service.instanceName] {
        members[owner, default: []] += Self.endpoints(service)
      } else if codes.isEmpty {
        others += 1
      }
    }
    return (members, prefixes.sorted(), others)
  }

  /// Somebody wants to know of all that is announced from now on for so many milliseconds.
  func want(for milliseconds: Int64) {
    let end = context.now() + milliseconds
    wantedUntil = wantedUntil.map { max($0, end) } ?? end
    if wantedSince == nil { wantedSince = context.now() }
    members.isEverybodyWanted = true
  }

  /// Have the network asked for as much as is of use now.
  private func keepLooking() async {
    while !Task.isCancelled {
      let seen = members.changes.version
      let rest = wantedUntil.map { $0 - context.now() } ?? 0
      if rest <= 0 {
        wantedSince = nil
        members.isEverybodyWanted = false
      }
      await takeMembers()
      let next = Self.attention(of: context)
      if next != attention {
        attention = next
        await discovery.attend(next)
      }
      if next != .none {
        await discovery.lookAgain()
        // Where many come at a time, they are looked at together.
        try? await Task.sleep(for: .milliseconds(100))
      }
      await members.changes.wait(after: seen, milliseconds: rest > 0 ? rest : nil)
    }
  }

  private static func attention(of context: NodeContext) -> Attention {
    if context.members.isEverybodyWanted { return .full }
    guard context.members.count > 0 else { return .none }
    // Of parent and child, the parent looks in any case: it may miss many, and each of them one.
    if context.profile.role == .parent { return .full }
    // Who is connected listens, too: a peer that has moved is heard of so before its session is given up.
    let misses = context.members.isAnybodyMissed
    return Attention.isCrowd(context.crowd) && !misses ? .none : .patient(crowd: context.crowd, misses: misses)
  }

  private func keepAnnouncing() async {
    await advertise()
    while !Task.isCancelled {
      // A new name each hour, so that nothing on the air follows a machine.
      do { try await Task.sleep(for: Self.rotation) } catch { return }
      instance = Self.newInstance()
      await advertise()
    }
  }

  private func advertise() async {
    let nonce = SecureRandom.bytes(8)
    var text: [String: [UInt8]] = ["v": Array("1".utf8), "n": nonce]
    if let key = context.discoveryKey {
      text["h"] = DiscoveryHint.make(discoveryKey: key, nonce: nonce, device: context.own)
    }
    if !openDiscriminators.isEmpty { text["d"] = OpenCodesText.bytes(openDiscriminators) }
    await discovery.advertise(ServiceAdvertisement(instanceName: instance, port: port, text: text))
  }

  private func take(_ event: DiscoveryEvent) async {
    switch event {
    case .found(let service):
      guard service.instanceName != instance else { return }
      if services[service.instanceName] == nil, services.count >= Self.maximumServices {
        // A device of ours is not turned away by strangers, however many.
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
      switch state {
      case .starting: stateText = "starting"
      case .running(let kind): stateText = kind.rawValue
      case .failed(let reason): stateText = reason
      }
      context.logger.info("discovery", metadata: ["state": "\(stateText)"])
      context.changes.notify()
    }
  }

  private func recognise(_ service: DiscoveredService) async {
    // Whoever was paired a moment ago is in the directory before anything else is told of it.
    await takeMembers()
    guard let owner = members.owner(service.text), let link = await directory.link(owner) else { return }
    if owners.updateValue(owner, forKey: service.instanceName) == nil {
      context.logger.info("a paired device is announced over mDNS", metadata: ["peer": "\(owner.short)"])
    }
    let endpoints = Self.endpoints(service)
    if !endpoints.isEmpty { await link.discovered(endpoints, instance: service.instanceName) }
  }

  private static func endpoints(_ service: DiscoveredService) -> [SocketEndpoint] {
    // IPv4 first: it needs no interface to be named.
    service.addresses.sorted { $0.family == .v4 && $1.family != .v4 }.map { address in
      let scope = address.interfaceIndex.map { "%\($0)" } ?? ""
      return SocketEndpoint(
        host: address.address.hasPrefix("fe80") ? address.address + scope : address.address, port: service.port)
    }
  }

  private static func isOurVersion(_ service: DiscoveredService) -> Bool { KnownMembers.isOurVersion(service.text) }

  #if DEBUG
    /// How long a name is kept; a test lets a day pass in a minute.
    private static let rotation = Duration.seconds(
      getenv("LATCHKEY_ROTATE_SECONDS").flatMap { Int(String(cString: $0)) } ?? 3_600)
  #else
    /// How long a name is kept.
    private static let rotation = Duration.seconds(3_600)
  #endif

  /// 8 characters that say nothing.
  private static func newInstance() -> String {
    String(Crockford.encode(SecureRandom.bytes(5)).lowercased().prefix(8))
  }
}
