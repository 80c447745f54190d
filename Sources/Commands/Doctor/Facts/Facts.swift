import LatchkeyModel
import LatchkeyRules
import LatchkeySystem

/// The facts that an examination gathered.
///
/// `nil` and empty values represent facts that could not be gathered.
public struct Facts: Sendable {
  /// The node, or the reason why it cannot be reached.
  public var node: NodeFacts
  /// Whether the state folder was created on this machine.
  public var machine: MachineFacts
  public var folder: FolderFacts
  public var interfaces: [NetworkInterface]
  /// The interface through which packets to the Internet leave; `nil` if there is none.
  public var defaultInterface: String?
  public var firewall: FirewallFacts
  /// The processes with a socket on UDP port 5353.
  public var responders: [PortHolder]
  public var bus: ServiceState
  public var avahi: ServiceState
  /// The results of a multicast question on each interface.
  public var multicast: [MulticastProbe]
  /// The device whose path is examined; `nil` for none.
  public var peer: PeerFacts?
  public var clock: ClockFacts
  public var conditions: [ConditionListing]
  public var receivers: [ReceiverListing]
  /// Where phones find the pages; `nil` if none is let in.
  public var phones: PhoneFacts?
  /// What the words about each machine's conditions call applications and children.
  public var terms: [DeviceID: RuleTerms] = [:]

  public init(
    node: NodeFacts, machine: MachineFacts = .same, folder: FolderFacts, interfaces: [NetworkInterface] = [],
    defaultInterface: String? = nil, firewall: FirewallFacts = FirewallFacts(), responders: [PortHolder] = [],
    bus: ServiceState = .answers, avahi: ServiceState = .answers, multicast: [MulticastProbe] = [],
    peer: PeerFacts? = nil, clock: ClockFacts = ClockFacts(), conditions: [ConditionListing] = [],
    receivers: [ReceiverListing] = []
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
    self.conditions = conditions
    self.receivers = receivers
  }

  /// The node's TCP port; `nil` if it does not listen.
  var port: UInt16? {
    guard case .running(let status, _) = node else { return nil }
    return status.listening.lazy.compactMap { SocketEndpoint($0)?.port }.first
  }

  /// The interfaces on which the node searches.
  var lanInterfaces: [NetworkInterface] { interfaces.filter { $0.exclusion(names: chosenInterfaces) == nil } }

  /// The interfaces that a person chose for the node; `nil` if it uses all that are not virtual.
  var chosenInterfaces: [String]? {
    guard case .running(let status, _) = node else { return nil }
    return status.interfaces
  }
}

/// The node of the state folder.
public enum NodeFacts: Sendable {
  case running(NodeStatus, NearbyMachines?)
  /// The node cannot be reached, for a reason given as a sentence with the next step.
  case absent(String)
}

/// The relation of the state folder to this machine.
public enum MachineFacts: Sendable, Hashable {
  case same
  /// The folder was made on another machine, or this one has a new machine ID.
  case other
  /// This machine has no ID, or the folder does not hold one.
  case unknown
  /// There is no node in the folder, or the folder cannot be read.
  case unreadable
}

/// The pages for phones that were let in.
public struct PhoneFacts: Sendable, Hashable {
  /// The names of the phones.
  public var labels: [String]
  /// The port of the pages; `nil` if that is not known.
  public var port: UInt16?
  /// A Boolean value that indicates whether a program listens on the port.
  public var isListening: Bool
  /// A Boolean value that indicates whether the authority that phones trust is there.
  public var hasAuthority: Bool

  public init(labels: [String], port: UInt16?, isListening: Bool, hasAuthority: Bool) {
    (self.labels, self.port, self.isListening, self.hasAuthority) = (labels, port, isListening, hasAuthority)
  }
}

/// The path to one paired device.
public struct PeerFacts: Sendable {
  public var status: PeerStatus
  /// The results of connecting to its addresses.
  public var probes: [AddressProbe]

  public init(status: PeerStatus, probes: [AddressProbe]) {
    self.status = status
    self.probes = probes
  }
}

/// This machine's wall clock, and the readings of other machines' clocks.
public struct ClockFacts: Sendable, Hashable {
  /// A time that a device recorded by its own clock.
  public struct Stamp: Sendable, Hashable {
    public var device: String
    /// The time in Unix milliseconds.
    public var at: Int64

    public init(device: String, at: Int64) {
      self.device = device
      self.at = at
    }
  }

  /// The time in Unix milliseconds by this machine's wall clock.
  public var now: Int64
  /// A Boolean value that indicates whether a time service synchronizes the clock; `nil` if the
  /// system does not report it.
  public var isSynchronised: Bool?
  /// The times received from other machines.
  public var stamps: [Stamp]

  public init(now: Int64 = 0, isSynchronised: Bool? = nil, stamps: [Stamp] = []) {
    self.now = now
    self.isSynchronised = isSynchronised
    self.stamps = stamps
  }
}
