import LatchkeyModel

/// Looks at this machine, and at the way to one peer.
public struct Gatherer: Sendable {
  /// The state folder's path.
  public var stateFolder: String
  /// The process's variables.
  public var environment: [String: String]

  public init(stateFolder: String, environment: [String: String]) {
    self.stateFolder = stateFolder
    self.environment = environment
  }

  /// Look at everything; takes a few seconds, changes nothing, and sends one mDNS question on each interface.
  ///
  /// - Parameters:
  ///   - node: what is known of the node.
  ///   - peer: the device that the way to is looked at.
  ///   - now: Unix milliseconds.
  ///   - stamps: times that arrived from other machines.
  public func gather(
    node: NodeFacts, machine: MachineFacts, peer: PeerStatus?, now: Int64, stamps: [ClockFacts.Stamp]
  ) -> Facts {
    let interfaces = NetworkGatherer.interfaces()
    let holders = SocketTable.holders(port: 5_353)
    var facts = Facts(
      node: node, machine: machine, folder: FolderGatherer.gather(stateFolder), interfaces: interfaces,
      defaultInterface: NetworkGatherer.interface(towards: "192.0.2.1", interfaces)
        ?? NetworkGatherer.interface(towards: "2001:db8::1", interfaces), firewall: FirewallGatherer.gather(),
      responders: holders, bus: ServiceGatherer.bus(environment), avahi: ServiceGatherer.avahi(),
      clock: ClockFacts(now: now, isSynchronised: ClockGatherer.isSynchronised(), stamps: stamps))
    facts.multicast = MulticastProber.probe(facts.lanInterfaces)
    if let peer {
      var addresses = peer.addresses.map(\.address)
      if case .running(_, let nearby?) = node,
        let announced = nearby.members.first(where: { $0.deviceID == peer.device.deviceID })?.addresses
      {
        addresses = announced + addresses.filter { !announced.contains($0) }
      }
      // A device that is connected need not be called.
      facts.peer = PeerFacts(
        status: peer, probes: peer.isConnected ? [] : AddressProber.probe(addresses, interfaces))
    }
    return facts
  }
}
