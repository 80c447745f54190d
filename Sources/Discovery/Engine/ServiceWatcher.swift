import CAvahi
import LatchkeySystem

/// The search for all instances of a type on some interfaces, and for the addresses of the wanted
/// ones.
///
/// Following a record means querying the network for it repeatedly. If forty machines followed
/// everything of each other, the network would be busy with that alone. For an instance that is not
/// wanted, only the first answer is taken. From time to time, the watcher examines the data that
/// the responder has received about them since then. This sends nothing.
final class ServiceWatcher {
  private let responder: any Responder
  private let type: String
  private let interfaces: [UInt32: NetworkInterface]
  private let observe: (ServiceObservation) -> Void
  private let isOfInterest: ServiceInterest
  /// Runs a closure in a later turn of the loop.
  private let later: (@escaping () -> Void) -> Void
  private let schedule: (Duration, @escaping () -> Void) -> LoopTimer?
  /// Called with the number of instances when one was added.
  private let onCount: (Int) -> Void
  private var browsers: [any Lookup] = []
  private var sightings: [SightingKey: Sighting] = [:]
  private var waiting: [SightingKey] = []
  /// The instances that are being looked up and have no known address yet, each with the timer
  /// after which another takes its place.
  private var unanswered: [SightingKey: LoopTimer?] = [:]

  /// The time after which an instance that does not answer no longer delays others.
  ///
  /// Machines that are gone stay in caches for an hour.
  private static let answer = Duration.milliseconds(200)

  /// A Boolean value that indicates whether some instances were seen and have neither been looked
  /// up nor had time to answer.
  var isBehind: Bool { !waiting.isEmpty || !unanswered.isEmpty }

  /// A Boolean value that indicates whether an instance was omitted for lack of space since the
  /// last search.
  private(set) var isIncomplete = false

  /// A Boolean value that indicates whether a restart would have space for what was omitted.
  var hasRoomAgain: Bool { isIncomplete && sightings.count < DiscoveryLimits.sightings * 3 / 4 }

  /// Starts a search; throws `AvahiError` if the back end refuses.
  init(
    responder: any Responder, type: String, interfaces: [NetworkInterface],
    isOfInterest: @escaping ServiceInterest = { _ in true },
    later: @escaping (@escaping () -> Void) -> Void = { $0() },
    schedule: @escaping (Duration, @escaping () -> Void) -> LoopTimer? = { _, _ in nil },
    onCount: @escaping (Int) -> Void = { _ in }, observe: @escaping (ServiceObservation) -> Void
  ) throws(AvahiError) {
    (self.responder, self.type, self.onCount) = (responder, type, onCount)
    self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    (self.observe, self.isOfInterest, self.later, self.schedule) = (observe, isOfInterest, later, schedule)
    for interface in interfaces {
      browsers.append(
        try responder.browseServices(type: type, interface: interface.index) { [unowned self] in saw($0) })
    }
  }

  /// Ends the search; no call-back follows.
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

  /// Looks up the waiting instances, a few at a time: if many machines query at once, answers are
  /// late and queries are repeated.
  private func lookUp() {
    while unanswered.count < DiscoveryLimits.lookups, !waiting.isEmpty {
      // The order is random, so that no sender can use it to exclude others.
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
    // Not done here, since a lookup must not be added to or freed while it is calling back.
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
      // The resolver may have been using the IP version that is gone.
      guard index == 0, sighting.resolver != nil else { return }
      sighting.resolver.take()?.close()
      resolve(key, other, sighting)
    } else {
      sighting.close()
      sightings[key] = nil
      // Instances that appear and disappear repeatedly must not lengthen the queue.
      waiting.removeAll { $0 == key }
      answered(key)
      observe(.withdrawn(key))
    }
  }

  private func resolve(_ key: SightingKey, _ packetProtocol: Int32, _ sighting: Sighting) {
    do throws(AvahiError) {
      sighting.resolver = try responder.resolveService(key.sighting(packetProtocol), type: type) {
        [unowned self, unowned sighting] in resolved($0, key, sighting)
      }
    } catch {
      isIncomplete = true
      sightings[key] = nil
      sighting.close()
      answered(key)
    }
  }

  private func resolved(_ service: ResolvedService, _ key: SightingKey, _ sighting: Sighting) {
    // An instance that is followed keeps its place until one of its addresses is known.
    defer { if sighting.addressResolver == nil { answered(key) } }
    guard !sighting.isPassedOver else { return }
    let host = sighting.service?.host
    sighting.service = service
    guard isOfInterest(sighting.text) else { return passOver(key, sighting) }
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

  /// Finds the first address of an instance that is being looked up, before all of its records are
  /// known.
  private func findAddress(_ key: SightingKey, _ sighting: Sighting) {
    guard unanswered[key] != nil, let packetProtocol = sighting.protocols.first else { return }
    // If this fails, the address is found a little later.
    sighting.addressResolver = try? responder.resolveAddress(key.sighting(packetProtocol), type: type) {
      [unowned self, unowned sighting] in saw($0, key, sighting)
    }
  }

  /// Follows the TXT records.
  ///
  /// A resolver keeps a TXT record until it expires, which after an update is a second later and
  /// too long for a code that was just announced. The latest record counts.
  private func followText(_ key: SightingKey, _ sighting: Sighting) {
    guard sighting.textLookup == nil, let name = AvahiText.serviceName(key.instanceName, type: type) else { return }
    do throws(AvahiError) {
      sighting.textLookup = try responder.browseRecords(
        name: name, type: UInt16(AVAHI_DNS_TYPE_TXT), interface: key.interfaceIndex
      ) { [unowned self, unowned sighting] in sawText($0, key, sighting) }
    } catch {
      isIncomplete = true
    }
  }

  /// Stops following instances that are no longer wanted, and examines the data that the responder
  /// has received about the other instances.
  func lookAgain() {
    for (key, sighting) in sightings {
      if sighting.isPassedOver {
        followText(key, sighting)
      } else if sighting.service != nil, !isOfInterest(sighting.text) {
        passOver(key, sighting)
      }
    }
  }

  private func passOver(_ key: SightingKey, _ sighting: Sighting) {
    observe(.passedOver(key, text: sighting.text))
    sighting.pass()
    closeLater(sighting)
  }

  /// Closes a lookup in a later turn, since this could free the lookup that is calling back.
  ///
  /// A lookup that is closed so soon has not queried the network.
  private func closeLater(_ sighting: Sighting) {
    later { [weak sighting] in
      guard let sighting, sighting.isPassedOver else { return }
      sighting.close()
    }
  }

  /// Handles a record of an instance that was not wanted, which may have changed.
  private func glanced(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    guard record.appeared, let packetProtocol = sighting.protocols.first else { return }
    guard isOfInterest(TextRecord.parse(TextRecord.entries(wire: record.data))) else { return closeLater(sighting) }
    sighting.takeUp(text: record)
    resolve(key, packetProtocol, sighting)
  }

  private func sawText(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    if sighting.isPassedOver { return glanced(record, key, sighting) }
    guard sighting.note(text: record) else { return }
    guard sighting.service == nil || isOfInterest(sighting.text) else { return passOver(key, sighting) }
    tell(key, sighting)
  }

  private func tell(_ key: SightingKey, _ sighting: Sighting) {
    guard let service = sighting.service else { return }
    observe(.resolved(key, host: service.host, port: service.port, text: sighting.text))
  }

  private func saw(_ record: SeenRecord, _ key: SightingKey, _ sighting: Sighting) {
    guard let address = IPAddress(record.data), let interface = interfaces[key.interfaceIndex] else { return }
    if record.appeared {
      guard sighting.gains(address, over: record.packetProtocol) else { return }
      observe(.gained(key, address, interface: interface))
      answered(key)
    } else if sighting.loses(address, over: record.packetProtocol) {
      observe(.dropped(key, address))
    }
  }
}
