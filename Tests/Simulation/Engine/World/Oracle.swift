import LatchkeyModel
import LatchkeyRules

/// The oracle, which knows all machines and reports the first violation.
///
/// It checks after every step that nothing is reported before it is durable, nothing is deleted
/// before it is in force at the other side, nothing takes effect twice or out of order, windows and
/// limits are observed, a removed device applies nothing, no honest device is accused, and no
/// stream restarts unless a machine was restored to an older state.
final class Oracle {
  unowned let simulation: Simulation
  var pasts: [Couple: CouplePast] = [:]
  var cloned: Set<DeviceID> = []
  /// The times at which commands were issued, by a clock of their node that continues across boots.
  var issuedAt: [CommandID: (at: Int64, lifetime: Int64?)] = [:]
  var lastOrder: [Couple: (pairing: Int, order: Int)] = [:]
  /// The peers' runs that a link knows of, by the run that the link belongs to and the peer.
  var runs: [[UInt8]: (present: [UInt8], past: Set<[UInt8]>)] = [:]
  var furthestSent: [String: UInt64] = [:]
  /// The connections that a device kept, each with the one that it replaced.
  var kept: [DeviceID: Set<[Int]>] = [:]
  /// The times at which devices were last restored, and at which links opened their last sessions.
  var setBackAt: [DeviceID: Int64] = [:]
  var openedAt: [DeviceID: [DeviceID: Int64]] = [:]
  /// For each restored machine, the epochs of its control streams of which other machines held
  /// something at that time.
  var controlAtSetBack: [DeviceID: [DeviceID: UInt64]] = [:]
  /// The items that were withdrawn before the peer was known to have stored them, by sender and
  /// peer.
  var withdrawn: [Couple: Set<[UInt8]>] = [:]

  /// The points that machines have written, what children asked, and what parents answered, on any
  /// machine.
  var written: [ChildID: Ledger] = [:]
  var asked: [ChildID: Set<ChildRequest>] = [:]
  var answered: [ChildID: Set<RequestAnswer>] = [:]
  /// The children from whom a machine was taken, which then forgets what it has not sent.
  var bereft: Set<ChildID> = []

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  var scenario: Scenario { simulation.scenario }

  func couple(_ one: DeviceID, _ other: DeviceID) -> Couple {
    simulation.node(one)?.role == .parent ? Couple(parent: one, child: other) : Couple(parent: other, child: one)
  }

  func past(_ couple: Couple) -> CouplePast { pasts[couple] ?? CouplePast() }

  /// Returns whether two machines are durably paired on both sides with a common key.
  func isCouple(_ parent: SimulatedNode, _ child: SimulatedNode) -> Bool {
    guard let one = parent.store.peer(child.device), let other = child.store.peer(parent.device) else { return false }
    guard one.state == .active, other.state == .active, !one.isQuarantined, !other.isQuarantined,
      let oneKey = one.sessionKey, let otherKey = other.sessionKey
    else { return false }
    return other.callingKeys.contains(oneKey) && one.callingKeys.contains(otherKey)
  }

  /// Returns whether two restored machines can no longer open a session, although one of them
  /// expects to.
  func isSplit(_ parent: SimulatedNode, _ child: SimulatedNode) -> Bool {
    guard past(Couple(parent: parent.device, child: child.device)).isSetBack, !isCouple(parent, child) else {
      return false
    }
    let states = [parent.store.peer(child.device), child.store.peer(parent.device)]
    return !states.contains { $0?.state == .removedUntold || $0?.isQuarantined == true }
      && states.contains { $0?.state == .active || $0?.pendingKey != nil }
  }

  // MARK: What people and trouble do

  func issued(_ id: CommandID, _ node: SimulatedNode, _ lifetime: Int64?) {
    issuedAt[id] = (node.trueAge, lifetime)
  }

  func pairs(_ parent: SimulatedNode, _ child: SimulatedNode) {
    let couple = Couple(parent: parent.device, child: child.device)
    guard let one = parent.store.peer(child.device), let other = child.store.peer(parent.device) else {
      if parent.store.peer(child.device) != nil || child.store.peer(parent.device) != nil {
        pasts[couple, default: CouplePast()].isPairedAnew = true
      }
      return
    }
    pasts[couple, default: CouplePast()].isPairedAnew = true
    // A side that regards the other as removed begins new streams; both must do so, or neither.
    if one.outgoing.isEmpty != other.outgoing.isEmpty || one.state != other.state || one.pendingKey != nil
      || other.pendingKey != nil
    {
      pasts[couple, default: CouplePast()].isUneven = true
    }
  }

  /// Records that one of the two has closed its streams and the other has not yet.
  func removes(_ other: DeviceID, of device: DeviceID, _ store: ModelStore) {
    guard store.peer(other) != nil else { return }
    let couple = couple(device, other)
    pasts[couple, default: CouplePast()].isUneven = true
    let isHalf = store.peer(other)?.pendingKey != nil || simulation.node(other)?.store.peer(device)?.pendingKey != nil
    if isHalf { pasts[couple, default: CouplePast()].wasRemovedHalfPaired = true }
  }

  func setsBack(_ node: SimulatedNode) {
    setBackAt[node.device] = simulation.now
    for other in simulation.nodes where other.role != node.role {
      pasts[couple(node.device, other.device), default: CouplePast()].setBacks += 1
      let held = other.store.peer(node.device)?.incoming[.control]
      controlAtSetBack[node.device, default: [:]][other.device] = held.flatMap { $0.watermark > 0 ? $0.epoch : nil }
    }
  }

  func clones(_ node: SimulatedNode) {
    setsBack(node)
    cloned.insert(node.device)
  }

  func isCloned(_ device: DeviceID) -> Bool { cloned.contains(device) }
  func checker() -> Simulation { simulation }
}
