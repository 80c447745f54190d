import LatchkeyAgent
import LatchkeyModel

/// Everything that an examination has looked at.
///
/// `nil` and empty stand for what could not be looked at.
public struct Facts: Sendable {
  /// The node, or why it cannot be asked.
  public var node: NodeFacts
  public var machine: MachineFacts
  public var folder: FolderFacts
  public var interfaces: [NetworkInterface]
  /// The interface that packets to the Internet leave by; `nil` if there is none.
  public var defaultInterface: String?
  public var firewall: FirewallFacts
  /// The processes with a socket on UDP port 5353.
  public var responders: [PortHolder]
  public var bus: ServiceState
  public var avahi: ServiceState
  public var multicast: [MulticastProbe]
  /// The device to which the way is examined; `nil` if none is.
  public var peer: PeerFacts?
  public var clock: ClockFacts

  public init(
    node: NodeFacts, machine: MachineFacts = .same, folder: FolderFacts, interfaces: [NetworkInterface] = [],
    defaultInterface: String? = nil, firewall: FirewallFacts = FirewallFacts(), responders: [PortHolder] = [],
    bus: ServiceState = .answers, avahi: ServiceState = .answers, multicast: [MulticastProbe] = [],
    peer: PeerFacts? = nil, clock: ClockFacts = ClockFacts()
  ) {
    self.node = node
    self.machine = machine
    self.folder = folder
    self.interfaces = interfaces
    self.defaultInterface = defaultInterface
    self.firewall = firewall
    self.responders = responders
    self.bus = bus
    self.avahi = avahi
    self.multicast = multicast
    self.peer = peer
    self.clock = clock
  }

  /// The node's TCP port; `nil` if it does not listen.
  var port: UInt16? {
    guard case .running(let status, _) = node else { return nil }
    return status.listening.lazy.compactMap { SocketEndpoint($0)?.port }.first
  }

  /// The interfaces on which machines are looked for.
  var lanInterfaces: [NetworkInterface] { interfaces.filter { $0.exclusion(names: chosenInterfaces) == nil } }

  /// The interfaces that a person has named for the node; `nil` if the rule decides.
  var chosenInterfaces: [String]? {
    guard case .running(let status, _) = node else { return nil }
    return status.interfaces
  }
}

/// The node of the state folder.
public enum NodeFacts: Sendable {
  case running(NodeStatus, NearbyMachines?)
  /// The node cannot be asked; the reason is a sentence with the next step.
  case absent(String)
}

/// Whether the state folder was made on this machine.
public enum MachineFacts: Sendable, Hashable {
  case same
  /// The folder was made on another machine, or this one has a new machine ID.
  case other
  /// This machine has no ID, or the folder does not hold one.
  case unknown
  /// There is no node in the folder, or the folder cannot be read.
  case unreadable
}

/// The way to one paired device.
public struct PeerFacts: Sendable {
  public var status: PeerStatus
  public var probes: [AddressProbe]

  public init(status: PeerStatus, probes: [AddressProbe]) {
    self.status = status
    self.probes = probes
  }
}
