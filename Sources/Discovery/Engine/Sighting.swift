import LatchkeySystem

/// One instance on one interface, seen over one or both IP versions.
final class Sighting {
  var protocols: [Int32] = []
  var resolver: (any Lookup)?
  var service: ResolvedService?
  var textLookup: (any Lookup)?
  /// The valid TXT records, and the IP versions that carry each; the latest is last.
  private var texts: [(data: [UInt8], protocols: Set<Int32>)] = []
  var addressLookups: [any Lookup] = []
  /// The search for the first address, until one is known.
  var addressResolver: (any Lookup)?
  /// The IP versions that carry each address.
  private var addresses: [IPAddress: Set<Int32>] = [:]
  /// A Boolean value that indicates whether the instance is not wanted and not followed.
  private(set) var isPassedOver = false

  /// The pairs of the latest TXT record.
  var text: [String: [UInt8]] {
    TextRecord.parse(texts.last.map { TextRecord.entries(wire: $0.data) } ?? service?.text ?? [])
  }

  /// Notes a TXT record; returns `false` if the records are the same as before.
  func note(text record: SeenRecord) -> Bool {
    switch (record.appeared, texts.firstIndex { $0.data == record.data }) {
    case (true, let index?): texts[index].protocols.insert(record.packetProtocol)
    case (true, nil):
      texts.append((record.data, [record.packetProtocol]))
      // If an instance announces many records at a time, the last ones count.
      texts = texts.suffix(DiscoveryLimits.texts)
    case (false, let index?):
      texts[index].protocols.remove(record.packetProtocol)
      guard texts[index].protocols.isEmpty else { return false }
      texts.remove(at: index)
    case (false, nil): return false
    }
    return true
  }

  /// Notes an address; returns whether there is room for it.
  func gains(_ address: IPAddress, over packetProtocol: Int32) -> Bool {
    guard addresses[address] != nil || addresses.count < DiscoveryLimits.addresses else { return false }
    addresses[address, default: []].insert(packetProtocol)
    return true
  }

  /// Forgets an address over one IP version; returns whether it was the last that carried it.
  func loses(_ address: IPAddress, over packetProtocol: Int32) -> Bool {
    guard addresses[address]?.remove(packetProtocol) != nil, addresses[address]?.isEmpty == true else { return false }
    addresses[address] = nil
    return true
  }

  func closeAddressResolver() {
    addressResolver.take()?.close()
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

  /// Follows the instance again, which has this TXT record now.
  func takeUp(text record: SeenRecord) {
    isPassedOver = false
    texts = [(record.data, [record.packetProtocol])]
  }

  func close() {
    resolver.take()?.close()
    textLookup.take()?.close()
    closeAddresses()
  }
}

extension SightingKey {
  /// Returns the appearance of the instance over an IP version.
  func sighting(_ packetProtocol: Int32) -> ServiceSighting {
    ServiceSighting(
      instanceName: instanceName, interface: interfaceIndex, packetProtocol: packetProtocol, appeared: true)
  }
}
