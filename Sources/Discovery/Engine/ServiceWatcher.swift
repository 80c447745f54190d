import CAvahi

/// Follows all instances of a type on some interfaces, down to their addresses where somebody wants them.
///
/// Who follows a record asks the network for it again and again. Where forty machines follow everything of each other, the
/// LAN is busy with that alone; so of instances that nobody cares for no more than the first answer is taken, and what the
/// responder has heard of them since is looked at now and then, for which nothing is sent.
final class ServiceWatcher {
  /// One instance on one interface, seen through one or both IP versions.
  private final class Sighting {
    var protocols: [Int32] = []
    var resolver: (any Lookup)?
    var service: ResolvedService?
    var textLookup: (any Lookup)?
    /// The TXT records that are in force, and the IP versions that carry each; the one that came last is last.
    var texts: [(data: [UInt8], protocols: Set<Int32>)] = []
    var addressLookups: [any Lookup] = []
    /// What finds the first address, until one is known.
    var addressResolver: (any Lookup)?
    /// How many IP versions carry each address.
    var addresses: [AddressBytes: Set<Int32>] = [:]
    /// Whether nobody cares for it, and nothing is followed.
    var isPassedOver = false

    func closeAddressResolver() {
      addressResolver?.close()
      addressResolver = nil
    }

    func closeAddresses() {
      closeAddressResolver()
      for lookup in addressLookups { lookup.close() }
      addressLookups = []
      addresses = [:]
    }

    func pass() {
      isPassedOver = true
      service = nil
      texts = []
    }

    func close() {
      resolver?.close()
      resolver = nil
      textLookup?.close()
      textLookup = nil
      closeAddresses()
    }
  }

  private let responder: any Responder
  private let type: String
  private let interfaces: [UInt32: NetworkInterface]
  private let observe: (ServiceObservation) -> Void
  private let isOfInterest: ServiceInterest
  private let later: (@escaping () -> Void) -> Void
  private let schedule: (Duration, @escaping () -> Void) -> LoopTimer?
  private let onCount: (Int) -> Void
  private var browsers: [any Lookup] = []
  private var sightings: [SightingKey: Sighting] = [:]
  /// Those that wait to be looked up.
  private var waiting: [SightingKey] = []
  /// Those that are looked up and of which nothing is known yet that leads there, each with what gives its place to the next.
  private var unanswered: [SightingKey: LoopTimer?] = [:]

  /// How long one that does not answer keeps others waiting. Machines that are gone stay in caches for an hour.
  private static let answer = Duration.milliseconds(200)

  /// Whether some were seen and have not been looked up yet, nor had their time to answer.
  var isBehind: Bool { !waiting.isEmpty || !unanswered.isEmpty }

  /// Whether something was left out for lack of room since the last look.
  private(set) var isIncomplete = false

  /// Whether a fresh start would find room for what was left out.
  var hasRoomAgain: Bool { isIncomplete && sightings.count < DiscoveryLimits.sightings * 3 / 4 }

  /// Begin to look.
  ///
  /// - Parameters:
  ///   - responder: what to look through.
  ///   - type: the DNS-SD type.
  ///   - interfaces: where to look.
  ///   - isOfInterest: whether an instance with these pairs is to be followed.
  ///   - later: runs something in a later turn of the loop.
  ///   - schedule: runs something after a while.
  ///   - onCount: is told how many instances there are when one more has come.
  ///   - observe: called on the loop's thread with every fact.
  /// - Throws: `AvahiError` when the back end refuses.
  init(
    responder: any Responder, type: String, interfaces: [NetworkInterface],
    isOfInterest: @escaping ServiceInterest = { _ in true },
    later: @escaping (@escaping () -> Void) -> Void = { $0() },
    schedule: @escaping (Duration, @escaping () -> Void) -> LoopTimer? = { _, _ in nil },
    onCount: @escaping (Int) -> Void = { _ in },
    observe: @escaping (ServiceObservation) -> Void
  ) throws(AvahiError) {
    self.responder = responder
    self.type = type
    self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    self.observe = observe
    self.isOfInterest = isOfInterest
    self.later = later
    self.schedule = schedule
    self.onCount = onCount
    for interface in interfaces {
      browsers.append(
        try responder.browseServices(type: type, interface: interface.index) { [unowned self] in saw($0) })
    }
  }

  /// Stop looking; there is no call-back after this.
  func close() {
    for browser in browsers { browser.close() }
    browsers = []
    for sighting in sightings.values { sighting.close() }
    sightings = [:]
    for timer in unanswered.values { timer?.cancel() }
    unanswered = [:]
    waiting = []
  }

  private func saw(_ event: ServiceSighting) {
    guard interfaces[event.interface] != nil else { return }
    let key = SightingKey(instanceName: event.instanceName, interfaceIndex: event.interface)
    event.appeared ? appeared(event, key) : disappeared(event, key)
  }

  private func appeared(_ event: ServiceSighting, _ key: SightingKey) {
    if sightings[key] == nil, sightings.count >= DiscoveryLimits.sightings {
      isIncomplete = true
      return
    }
    let sighting = sightings[key] ?? Sighting()
    sightings[key] = sighting
    guard !sighting.protocols.contains(event.packetProtocol) else { return }
    sighting.protocols.append(event.packetProtocol)
    guard sighting.protocols.count == 1 else { return }
    waiting.append(key)
    onCount(Set(sightings.keys.map(\.instanceName)).count)
    lookUp()
  }

  /// Look up those that wait, a few at a time: what many machines ask at once is answered late and asked again.
  private func lookUp() {
    while unanswered.count < DiscoveryLimits.lookups, !waiting.isEmpty {
      // In no order that anybody could make use of to keep others out.
      let key = waiting.remove(at: Int.random(in: waiting.indices))
      guard let sighting = sightings[key], sighting.resolver == nil, !sighting.isPassedOver,
        let packetProtocol = sighting.protocols.first
      else { continue }
      unanswered[key] = .some(schedule(Self.answer) { [weak self] in self?.answered(key) })
      resolve(key, packetProtocol, sighting)
    }
  }

  private func answered(_ key: SightingKey) {
    guard let timer = unanswered.removeValue(forKey: key) else { return }
    timer?.cancel()
    guard !waiting.isEmpty || sightings[key]?.addressResolver != nil else { return }
    // Not here and now: a lookup that is calling may not be joined by others, nor freed.
    later { [weak self] in
      guard let self else { return }
      if unanswered[key] == nil { sightings[key]?.closeAddressResolver() }
      lookUp()
    }
  }

  private func disappeared(_ event: ServiceSighting, _ key: SightingKey) {
    guard let sighting = sightings[key], let index = sighting.protocols.firstIndex(of: event.packetProtocol)
    else { return }
    sighting.protocols.remove(at: index)
    if let other = sighting.protocols.first {
      // The resolver may have been asking over the IP version that is gone.
      guard index == 0, sighting.resolver != nil else { return }
      sighting.resolver?.close()
      sighting.resolver = nil
      resolve(key, other, sighting)
    } else {
      sighting.close()
      sightings[key] = nil
      // What comes and goes without end makes no longer queue than what is there.
      waiting.removeAll { $0 == key }
      answered(key)
      observe(.withdrawn(key))
    }
  }

  private func resolve(_ key: SightingKey, _ packetProtocol: Int32, _ sighting: Sighting) {
    let event = ServiceSighting(
      instanceName: key.instanceName, interface: key.interfaceIndex, packetProtocol: packetProtocol, appeared: true)
    do throws(AvahiError) {
      sighting.resolver = try responder.resolveService(event, type: type) { [unowned self, unowned sighting] in
        resolved($0, key, sighting)
      }
    } catch {
      isIncomplete = true
      sightings[key] = nil
      sighting.close()
      answered(key)
    }
  }

  private func resolved(_ service: ResolvedService, _ key: SightingKey, _ sighting: Sighting) {
    // Who is followed keeps its place until an address of it is known.
    defer { if sighting.addressResolver == nil { answered(key) } }
    guard !sighting.isPassedOver else { return }
    let host = sighting.service?.host
    sighting.service = service
    guard isOfInterest(text(sighting)) else { return passOver(key, sighting) }
    tell(key, sighting)
    guard host != service.host else { return }
    sighting.closeAddresses()
    for type in [AVAHI_DNS_TYPE_A, AVAHI_DNS_TYPE_AAAA] {
      do throws(AvahiError) {
        let lookup = try responder.browseRecords(
          name: service.host, type: UInt16(type), interface: key.interfaceIndex
        ) { [unowned self, unowned sighting] in saw($0, key, sighting) }
        sighting.addressLookups.append(lookup)
      } catch {
        isIncomplete = true
      }
    }
    followText(key, sighting)
    findAddress(key, sighting)
  }

  /// Finds the first address of one that has its place among those that are looked up, before all its records are known.
  private func findAddress(_ key: SightingKey, _ sighting: Sighting) {
    guard unanswered[key] != nil, let packetProtocol = sighting.protocols.first else { return }
    let event = ServiceSighting(
      instanceName: key.instanceName, interface: key.interfaceIndex, packetProtocol: packetProtocol, appeared: true)
    // Without it the address is known a little later.
    sighting.addressResolver = try? responder.resolveAddress(event, type: type) { [unowned self, unowned sighting] in
      saw($0, key, sighting)
    }
  }

  /// A resolver holds to a TXT record until it has run out, which an update makes it do a second later: too long for a code
  /// that was announced just now. So the records are followed, and the one that came last counts.
  private func followText(_ key: SightingKey, _ sighting: Sighting) {
    guard sighting.textLookup == nil, let name = CText.serviceName(key.instanceName, type: type) else { return }
    do throws(AvahiError) {
      sighting.textLookup = try responder.browseRecords(
        name: name, type: UInt16(AVAHI_DNS_TYPE_TXT), interface: key.interfaceIndex
      ) { [unowned self, unowned sighting] in sawText($0, key, sighting) }
    } catch {
      isIncomplete = true
    }
  }

  /// Leave what nobody cares for any more, and look at what the responder has heard of the instances that nobody cared for.
  func lookAgain() {
    for (key, sighting) in sightings {
      if sighting.isPassedOver {
        followText(key, sighting)
      } else if sighting.service != nil, !isOfInterest(text(sighting)) {
        passOver(key, sighting)
      }
    }
  }

  private func passOver(_ key: SightingKey, _ sighting: Sighting) {
    observe(.passedOver(key, text: text(sighting)))
    sighting.pass()
    closeLater(sighting)
  }

  /// Not here and now: this may free the very lookup that is calling. What is closed so soon was not asked of the network.
  private func closeLater(_ sighting: Sighting) {
    later { [weak sighting] in
      guard let sighting, sighting.isPassedOver else { return }
      sighting.close()
    }
  }

  /// What is heard of an instance that nobody cared for: it may be another word now.
  private func glanced(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    guard record.appeared, let packetProtocol = sighting.protocols.first else { return }
    guard isOfInterest(TextRecord.parse(TextRecord.entries(wire: record.data))) else { return closeLater(sighting) }
    sighting.isPassedOver = false
    sighting.texts = [(record.data, [record.packetProtocol])]
    resolve(key, packetProtocol, sighting)
  }

  private func sawText(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    if sighting.isPassedOver { return glanced(record, key, sighting) }
    let index = sighting.texts.firstIndex { $0.data == record.data }
    switch (record.appeared, index) {
    case (true, let index?): sighting.texts[index].protocols.insert(record.packetProtocol)
    case (true, nil):
      sighting.texts.append((record.data, [record.packetProtocol]))
      // Whoever announces many at a time is taken at the last of them.
      sighting.texts = sighting.texts.suffix(DiscoveryLimits.texts)
    case (false, let index?):
      sighting.texts[index].protocols.remove(record.packetProtocol)
      guard sighting.texts[index].protocols.isEmpty else { return }
      sighting.texts.remove(at: index)
    case (false, nil): return
    }
    guard sighting.service == nil || isOfInterest(text(sighting)) else { return passOver(key, sighting) }
    tell(key, sighting)
  }

  private func tell(_ key: SightingKey, _ sighting: Sighting) {
    guard let service = sighting.service else { return }
    observe(.resolved(key, host: service.host, port: service.port, text: text(sighting)))
  }

  private func text(_ sighting: Sighting) -> [String: [UInt8]] {
    TextRecord.parse(sighting.texts.last.map { TextRecord.entries(wire: $0.data) } ?? sighting.service?.text ?? [])
  }

  private func saw(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    guard let address = AddressBytes(record.data), let interface = interfaces[key.interfaceIndex] else { return }
    if record.appeared {
      guard sighting.addresses[address] != nil || sighting.addresses.count < DiscoveryLimits.addresses else { return }
      sighting.addresses[address, default: []].insert(record.packetProtocol)
      observe(.gained(key, address, interface: interface))
      answered(key)
    } else if sighting.addresses[address]?.remove(record.packetProtocol) != nil,
      sighting.addresses[address]?.isEmpty == true
    {
      sighting.addresses[address] = nil
      observe(.dropped(key, address))
    }
  }
}
