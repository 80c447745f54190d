/// Merges the sightings of all interfaces and protocols into one service an instance, and tells what changed.
///
/// It is bounded whatever the network says: 240 instances, 240 sightings, 16 addresses each.
///
/// Spec: Protocol/02-discovery.md §4
struct ServiceTable {
  private struct Sighting {
    var host: String
    var port: UInt16
    var text: [String: [UInt8]]
    var addresses: [AddressBytes: DiscoveredAddress] = [:]
    var isPassedOver = false
  }

  private var sightings: [String: [UInt32: Sighting]] = [:]
  private var reported: [String: DiscoveredService] = [:]
  private var changed: Set<String> = []
  private var handingOver = false

  /// Whether `takeEvents` has something to look at.
  var hasChanges: Bool { !changed.isEmpty }

  /// Whether something was reported as found and not yet as lost.
  var hasReported: Bool { !reported.isEmpty }

  /// Returns whether an instance is to be reported for the first time, with an address.
  func isNews(_ instanceName: String) -> Bool {
    reported[instanceName] == nil && service(instanceName)?.addresses.isEmpty == false
  }

  /// Take note of a fact.
  ///
  /// What is beyond the bounds is left out.
  ///
  /// - Parameter observation: from a back end, as hostile as the network.
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
      // An address of the loopback seen on a real network would lead to whatever listens on this very machine.
      guard address.isUsable, !address.isLoopback || interface.isLoopback else { return }
      guard sighting.addresses.count < DiscoveryLimits.addresses else { return }
      sighting.addresses[address] = DiscoveredAddress(
        family: address.family, address: address.text,
        interfaceIndex: address.isLinkLocalV6 ? interface.index : nil, interfaceName: interface.name)
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

  /// Forget all sightings because their back end is gone, but report nothing as lost before `endHandover`: the next
  /// back end is likely to see the same services again.
  mutating func beginHandover() {
    changed.formUnion(sightings.keys)
    sightings = [:]
    handingOver = true
  }

  /// Forget everything, and report it as lost: what was not followed for a while may have changed in any way.
  mutating func forget() {
    sightings = [:]
    endHandover()
  }

  /// Report as lost what the next back end has not seen.
  mutating func endHandover() {
    handingOver = false
    changed.formUnion(reported.keys)
  }

  /// Tell what changed since the last call.
  ///
  /// - Returns: at most one event an instance, sorted by instance name.
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

  /// All that is known of an instance, or nil while no address is known of one that somebody cares for.
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
      // Seen on two interfaces, an address is still one; only a link-local one is another on each of them.
      let known = addresses.contains {
        $0.address == address.address && $0.interfaceIndex == address.interfaceIndex
      }
      if !known { addresses.append(address) }
    }
    return DiscoveredService(instanceName: name, port: first.port, addresses: addresses, text: first.text)
  }

  private static func order(_ left: AddressBytes, _ right: AddressBytes) -> Bool {
    func rank(_ address: AddressBytes) -> Int { address.family == .v4 ? 0 : address.isLinkLocalV6 ? 2 : 1 }
    return rank(left) == rank(right)
      ? left.bytes.lexicographicallyPrecedes(right.bytes) : rank(left) < rank(right)
  }
}
