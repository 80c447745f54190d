import LatchkeyModel

/// Everything that was looked at; nil and empty stand for what could not be.
public struct Facts: Sendable {
  /// The node, or why it cannot be asked.
  public var node: NodeFacts
  public var machine: MachineFacts
  public var folder: FolderFacts
  public var interfaces: [InterfaceFacts]
  /// The interface that packets to the Internet leave by; nil for none.
  public var defaultInterface: String?
  public var firewall: FirewallFacts
  /// Who holds UDP port 5353.
  public var responders: [PortHolder]
  public var bus: ServiceState
  public var avahi: ServiceState
  public var multicast: [MulticastProbe]
  /// The device that the way to is examined; nil for none.
  public var peer: PeerFacts?
  public var clock: ClockFacts

  public init(
    node: NodeFacts, machine: MachineFacts = .same, folder: FolderFacts, interfaces: [InterfaceFacts] = [],
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

  /// The node's TCP port; nil when it listens nowhere.
  var port: UInt16? {
    guard case .running(let status, _) = node else { return nil }
    return status.listening.compactMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }.first
  }

  /// Interfaces that machines are looked for on.
  var lanInterfaces: [InterfaceFacts] { interfaces.filter { reasonLeftOut($0) == nil } }

  /// The interfaces that a person has named for the node; nil where the rule decides.
  var chosenInterfaces: [String]? {
    guard case .running(let status, _) = node else { return nil }
    return status.interfaces
  }

  /// Why machines are not looked for on an interface; nil when they are.
  func reasonLeftOut(_ interface: InterfaceFacts) -> String? {
    guard let chosen = chosenInterfaces else { return interface.reasonLeftOut }
    return chosen.contains(interface.name) ? interface.reasonUnusable : "`latchkey run --interfaces` names others"
  }
}
