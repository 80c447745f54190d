import LatchkeySystem

/// The visible services: the sightings of all interfaces and protocols, merged into one service for
/// each instance.
///
/// The table is bounded independently of the network's content: 240 instances, 240 sightings, 16
/// addresses each.
///
/// Spec: Protocol/02-discovery.md §7.
struct ServiceTable {
  private struct Sighting {
    var host: String
    var port: UInt16
    var text: [String: [UInt8]]
    var addresses: [IPAddress: DiscoveredAddress] = [:]
    var isPassedOver = false
  }

  private var sightings: [String: [UInt32: Sighting]] = [:]
  private(set) var reported: [String: DiscoveredService] = [:]
  private var changed: Set<String> = []
  private var handingOver = false

  /// A Boolean value that indicates whether anything has changed since the last `takeEvents`.
  var hasChanges: Bool { !changed.isEmpty }

  /// Returns whether an instance is to be reported for the first time, with an address.
  func isNews(_ instanceName: String) -> Bool {
    reported[instanceName] == nil && service(instanceName)?.addresses.isEmpty == false
  }

  /// Takes a fact, which is as hostile as the network, unless it is beyond the bounds.
  mutating func note(_ observation: ServiceObservation) {
    switch observation {
    case .resolved(let key, let host, let port, let text):
      guard sightings[key.instanceName] != nil || sightings.count < DiscoveryLimits.services else { return }
      var sighting =
        sightings[key.instanceName]?[key.interfaceIndex] ?? Sighting(host: host, port: port, text: text)
      if sighting.host != host { sighting.addresses = [:] }
      sighting.isPassedOver = false
      (sighting.host, sighting.port, sighting.text) = (host, port, text)
      sightings[key.instanceName, default: [:]][key.interfaceIndex] = sighting
      changed.insert(key.instanceName)
    case .passedOver(let key, let text):
      guard sightings[key.instanceName] != nil || sightings.count < DiscoveryLimits.services else { return }
      var sighting = Sighting(host: "", port: 0, text: text)
      sighting.isPassedOver = true
      sightings[key.instanceName, default: [:]][key.interfaceIndex] = sighting
      changed.insert(key.instanceName)
    case .gained(let key, let address, let interface):
      guard var sighting = sightings[key.instanceName]?[key.interfaceIndex] else { return }
      // A loopback address seen on a real network would lead to a listener on this machine.
      guard address.isUsable, !address.isLoopback || interface.isLoopback else { return }
      guard sighting.addresses.count < DiscoveryLimits.addresses else { return }
      sighting.addresses[address] = DiscoveredAddress(
        address: address, interfaceIndex: address.needsScope ? interface.index : nil, interfaceName: interface.name)
      sightings[key.instanceName]?[key.interfaceIndex] = sighting
      changed.insert(key.instanceName)
    case .dropped(let key, let address):
      guard sightings[key.instanceName]?[key.interfaceIndex]?.addresses.removeValue(forKey: address) != nil
      else { return }
      changed.insert(key.instanceName)
    case .withdrawn(let key):
      guard sightings[key.instanceName]?.removeValue(forKey: key.interfaceIndex) != nil else { return }
      if sightings[key.instanceName]?.isEmpty == true { sightings[key.instanceName] = nil }
      changed.insert(key.instanceName)
    }
  }

  /// Forgets all sightings because their back end is gone, and reports nothing as lost before
  /// `endHandover`.
  ///
  /// The next back end is likely to see the same services again.
  mutating func beginHandover() {
    changed.formUnion(sightings.keys)
    sightings = [:]
    handingOver = true
  }

  /// Forgets everything and reports it as lost: services that were not followed for a while may
  /// have changed in any way.
  mutating func forget() {
    sightings = [:]
    endHandover()
  }

  /// Reports the services that the next back end has not seen as lost.
  mutating func endHandover() {
    handingOver = false
    changed.formUnion(reported.keys)
  }

  /// Returns the changes since the last call, at most one for each instance, sorted by its name.
  mutating func takeEvents() -> [DiscoveryEvent] {
    var events: [DiscoveryEvent] = []
    for name in changed.sorted() {
      if let service = service(name) {
        guard reported[name] != service else { continue }
        reported[name] = service
        events.append(.found(service))
      } else if !handingOver, sightings[name] == nil, reported.removeValue(forKey: name) != nil {
        events.append(.lost(instanceName: name))
      }
    }
    changed = []
    return events
  }

  /// Returns everything known about an instance; `nil` if it is of interest but has no known
  /// address yet.
  private func service(_ name: String) -> DiscoveredService? {
    guard let seen = sightings[name] else { return nil }
    let all = seen.sorted { $0.key < $1.key }.map(\.value)
    let complete = all.filter { !$0.addresses.isEmpty && $0.port != 0 }
    guard let first = complete.first else {
      return all.first(where: \.isPassedOver).map {
        DiscoveredService(instanceName: name, port: 0, addresses: [], text: $0.text)
      }
    }
    var addresses: [DiscoveredAddress] = []
    let found = complete.flatMap(\.addresses).sorted { Self.order($0.key, $1.key) }
    for (_, address) in found where addresses.count < DiscoveryLimits.addresses {
      // An address that is seen on two interfaces counts once. Only link-local addresses differ by
      // interface.
      let known = addresses.contains { $0.address == address.address && $0.interfaceIndex == address.interfaceIndex }
      if !known { addresses.append(address) }
    }
    return DiscoveredService(instanceName: name, port: first.port, addresses: addresses, text: first.text)
  }

  private static func order(_ left: IPAddress, _ right: IPAddress) -> Bool {
    func rank(_ address: IPAddress) -> Int { address.isV4 ? 0 : address.isLinkLocal ? 2 : 1 }
    return rank(left) == rank(right)
      ? left.bytes.lexicographicallyPrecedes(right.bytes) : rank(left) < rank(right)
  }
}

/// A fact about a sighting, as a back end reports it.
enum ServiceObservation: Hashable, Sendable {
  /// The instance leads to this port and these pairs.
  ///
  /// Its known addresses remain unless the host has changed.
  case resolved(SightingKey, host: String, port: UInt16, text: [String: [UInt8]])
  /// The instance exists with these pairs, which are of no interest, so it is not followed any
  /// further.
  case passedOver(SightingKey, text: [String: [UInt8]])
  case gained(SightingKey, IPAddress, interface: NetworkInterface)
  case dropped(SightingKey, IPAddress)
  /// The instance is no longer announced on this interface.
  case withdrawn(SightingKey)
}

/// One instance as seen on one interface.
struct SightingKey: Hashable, Sendable {
  /// The instance name, 1 to 63 bytes.
  var instanceName: String

  var interfaceIndex: UInt32
}

/// The reporter of found services: facts that arrive together result in one event, and a service
/// that the next back end confirms was never lost.
final class ServiceReporter {
  /// The time for which the results of an earlier back end are kept for the next one to confirm.
  private static let handover = Duration.seconds(6)

  private let loop: DiscoveryLoop
  private let emit: (DiscoveryEvent) -> Void
  private var table = ServiceTable()
  private var flush: LoopTimer?
  private var handoverEnd: LoopTimer?

  init(loop: DiscoveryLoop, emit: @escaping (DiscoveryEvent) -> Void) { (self.loop, self.emit) = (loop, emit) }

  /// Takes a fact.
  ///
  /// News is reported at once, anything else a moment later.
  func note(_ observation: ServiceObservation) {
    table.note(observation)
    if case .gained(let key, _, _) = observation, table.isNews(key.instanceName) {
      // A caller may be waiting for it.
      flush.take()?.cancel()
      report()
    }
    // Facts that arrive together result in one event, since port, text and addresses are separate
    // records.
    if table.hasChanges, flush == nil {
      flush = loop.schedule(after: .milliseconds(5)) { [unowned self] in
        flush = nil
        report()
      }
    }
  }

  /// Removes every service and reports it as lost.
  func forget() {
    cancelHandover()
    table.forget()
    report()
  }

  /// Keeps the services for the next back end to confirm.
  ///
  /// If `isTimed` is `true`, those that are not confirmed in time are reported as lost.
  func beginHandover(isTimed: Bool) {
    table.beginHandover()
    cancelHandover()
    guard isTimed else { return }
    handoverEnd = loop.schedule(after: Self.handover) { [unowned self] in
      handoverEnd = nil
      table.endHandover()
      report()
    }
  }

  /// Cancels all timers; no call-back follows.
  func close() {
    flush?.cancel()
    cancelHandover()
  }

  private func cancelHandover() {
    handoverEnd.take()?.cancel()
  }

  private func report() { for event in table.takeEvents() { emit(event) } }
}
