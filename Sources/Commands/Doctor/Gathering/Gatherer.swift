import LatchkeyModel
import LatchkeySystem

/// The gathering of facts about this machine and the path to one peer.
public struct Gatherer: Sendable {
  public var stateFolder: String
  public var environment: [String: String]

  public init(stateFolder: String, environment: [String: String]) {
    self.stateFolder = stateFolder
    self.environment = environment
  }

  /// Gathers all facts.
  ///
  /// It takes a few seconds, changes nothing, and sends one mDNS question on each interface.
  ///
  /// - Parameters:
  ///   - node: The state of the node.
  ///   - machine: Whether the state folder was created on this machine.
  ///   - peer: The device whose path is examined; `nil` for none.
  ///   - now: The present time in Unix milliseconds.
  ///   - stamps: The times received from other machines.
  /// - Returns: The facts; those that could not be gathered are `nil` or empty.
  public func gather(
    node: NodeFacts, machine: MachineFacts, peer: PeerStatus?, now: Int64, stamps: [ClockFacts.Stamp]
  ) -> Facts {
    let interfaces = NetworkInterface.all() ?? []
    let holders = SocketTable.holders(port: 5_353)
    var facts = Facts(
      node: node, machine: machine, folder: FolderGatherer.gather(stateFolder), interfaces: interfaces,
      defaultInterface: AddressProber.interface(towards: "192.0.2.1", interfaces)
        ?? AddressProber.interface(towards: "2001:db8::1", interfaces), firewall: FirewallGatherer.gather(),
      responders: holders, bus: ServiceGatherer.bus(environment), avahi: ServiceGatherer.avahi(),
      clock: ClockFacts(now: now, isSynchronised: Self.isClockSynchronised(), stamps: stamps))
    facts.multicast = MulticastProber.probe(facts.lanInterfaces)
    if let peer {
      var addresses = peer.addresses.map(\.address)
      if case .running(_, let nearby?) = node,
        let announced = nearby.members.first(where: { $0.deviceID == peer.device.deviceID })?.addresses
      {
        addresses = announced + addresses.filter { !announced.contains($0) }
      }
      // A connected device needs no further connection.
      facts.peer = PeerFacts(
        status: peer, probes: peer.isConnected ? [] : AddressProber.probe(addresses, interfaces))
    }
    return facts
  }

  /// Returns whether a time service synchronizes the wall clock; `nil` if the system does not
  /// report it.
  private static func isClockSynchronised() -> Bool? {
    guard case .output(let text) = ToolRun.run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]) else {
      return nil
    }
    switch text.split(separator: "\n").first {
    case "yes": return true
    case "no": return false
    default: return nil
    }
  }
}
