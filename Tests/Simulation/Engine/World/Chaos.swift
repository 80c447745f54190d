import LatchkeyModel

/// The disturbances of machines, network and people.
final class Chaos {
  private unowned let simulation: Simulation
  private var isOver = false
  private var twins: [SimulatedNode] = []

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  private var scenario: Scenario { simulation.scenario }
  private func below(_ count: Int) -> Int { simulation.random.below(count) }
  private var someNode: SimulatedNode? { simulation.pick(simulation.nodes) }

  func plan() {
    guard !scenario.troubles.isEmpty else { return }
    var time: Int64 = 2_000
    while time < scenario.length {
      time += 1 + Int64(below(Int(2 * scenario.pause)))
      simulation.at(time * 1_000) { [unowned self] in strike() }
    }
    if scenario.endsWithOutage {
      simulation.at((scenario.length - min(scenario.length - 1, 170_000)) * 1_000) { [unowned self] in
        simulation.network.cutAll(for: 170_000_000)
      }
    }
  }

  func restartLater(_ node: SimulatedNode) {
    let wait = simulation.random.once(in: 3) ? below(120_000_000) : below(3_000_000)
    simulation.after(Int64(10_000 + wait)) { [unowned node] in node.start() }
  }

  private func strike() {
    guard !isOver, let trouble = simulation.pick(scenario.troubles), let node = someNode else { return }
    simulation.note(7, "trouble: \(trouble) (\(node.name))")
    switch trouble {
    case .reset: simulation.pick(simulation.network.open)?.reset()
    case .halfOpen: simulation.pick(simulation.network.open)?.isGone = true
    case .partition:
      if let other = someNode, other !== node {
        simulation.network.cut(node.index, other.index, for: Int64(1_000_000 + below(200_000_000)))
      } else {
        simulation.network.cutAll(for: Int64(1_000_000 + below(100_000_000)))
      }
    case .delay:
      simulation.network.slowest = 2_000 + below(500_000)
      simulation.pick(simulation.network.open)?.extraDelay = Int64(below(20_000_000))
    case .replay:
      let old = simulation.network.connections.filter { $0.overheard.count > 1 && $0.callee?.node === node }
      if let old = simulation.pick(old), let ghost = old.caller?.node {
        simulation.network.replay(old, to: node, from: ghost)
      }
    case .stall:
      let until = simulation.now + Int64(below(3_600_000_000))
      simulation.pick(simulation.network.open)?.callee?.stalledUntil = until
    case .kill, .powerCut:
      guard node.isRunning else { return }
      node.crash(losesPower: trouble == .powerCut)
      restartLater(node)
    case .killAtCommit:
      node.disk.killIn = (1 + below(6), simulation.random.once(in: 2), simulation.random.once(in: 4))
    case .sleep:
      // A month by its own clock; the other machines do not experience most of it.
      guard node.isRunning else { return }
      let month: Int64 = 30 * 86_400_000
      node.sleep(
        micros: Int64(below(150_000_000)), milliseconds: simulation.random.once(in: 2) ? month : Int64(below(3_600_000))
      )
    case .move: node.move()
    case .wallJump: node.wallError += Int64(below(2 * 315_360_000) - 315_360_000) * 1_000
    case .slowDisk: node.disk.slowest = simulation.random.once(in: 2) ? 2_000_000 : 3_000
    case .fullDisk: node.disk.fullUntil = simulation.now + Int64(below(30_000_000))
    case .cancel: for _ in 0..<3 { simulation.household.cancel() }
    case .remove: removeSome()
    case .pairAnew: pairSome()
    case .backup: setBack(node)
    case .wipe: wipe(node)
    case .clone: clone(node)
    }
  }

  // MARK: People

  private func removeSome() {
    guard let parent = simulation.pick(simulation.household.parents),
      let child = simulation.pick(simulation.household.children)
    else { return }
    if simulation.random.once(in: 3) {
      simulation.household.remove(parent.device, from: child)
    } else {
      simulation.household.remove(child.device, from: parent)
    }
  }

  private func pairSome() {
    for parent in simulation.household.parents {
      for child in simulation.household.children where parent.isRunning && child.isRunning {
        guard !simulation.oracle.isCouple(parent, child) || simulation.random.once(in: 4) else { continue }
        return simulation.household.pair(parent, child, isWhole: simulation.random.once(in: 2))
      }
    }
  }

  // MARK: Other pasts

  private func setBack(_ node: SimulatedNode) {
    guard let backup = node.backup, simulation.random.once(in: 2) else {
      node.backup = node.store
      return
    }
    node.crash(losesPower: simulation.random.once(in: 2))
    simulation.oracle.setsBack(node)
    node.store = backup
    restartLater(node)
  }

  private func wipe(_ node: SimulatedNode) {
    guard simulation.random.once(in: 3) else { return }
    node.crash(losesPower: false)
    simulation.oracle.setsBack(node)
    node.store = ModelStore(own: node.device, caps: scenario.caps, sources: node.sources)
    if node.role == .parent { node.store.keepFirstDiscoveryKey(simulation.keys.freshKey()) }
    restartLater(node)
    repairSplits()
  }

  /// Copies a child's machine, and lets the copy run.
  private func clone(_ node: SimulatedNode) {
    guard node.role == .child, node.isRunning, twins.isEmpty else { return }
    simulation.oracle.clones(node)
    let twin = simulation.add(node.device, .child, linkKey: node.linkKey, store: node.store)
    twins.append(twin)
    twin.start()
  }

  /// Pairs machines again that can no longer open a session.
  private func repairSplits() {
    simulation.after(5_000_000) { [unowned self] in
      var isWhole = true
      for parent in simulation.household.parents {
        for child in simulation.household.children where simulation.oracle.isSplit(parent, child) {
          guard parent.isRunning, child.isRunning else {
            isWhole = false
            continue
          }
          simulation.household.pair(parent, child, isWhole: true)
        }
      }
      if !isWhole || isOver { repairSplits() }
    }
  }

  // MARK: The end

  /// Ends all troubles and repairs their effects.
  func end() {
    isOver = true
    simulation.note(8, "peace")
    for twin in twins {
      twin.crash(losesPower: true)
      simulation.remove(twin)
    }
    for node in simulation.nodes {
      node.disk.killIn = nil
      (node.disk.fullUntil, node.disk.slowest) = (0, 3_000)
      node.wake()
      node.start()
      // This includes what the disk refused to store.
      for peer in node.store.peers
      where peer.isQuarantined || node.link(peer.device)?.machine.standing.isQuarantined == true {
        node.store.release(peer.device)
        node.act(after: 1_000_000) { node.refresh(peer.device) }
      }
    }
    let wait = Int64(6_000_000 + below(3_000_000))
    if scenario.endsWithOutage { simulation.network.cutAll(for: wait) }
    // The network works again. All machines notice, some of them before it carries anything.
    for node in simulation.nodes {
      node.act(after: Int64(below(500_000))) { for link in node.links { link.networkChanged() } }
    }
    simulation.after(scenario.endsWithOutage ? wait : 0) { [unowned self] in
      simulation.network.heal()
      for node in simulation.nodes where node.isListening {
        for other in simulation.nodes where other !== node { node.announce(to: other) }
      }
      if scenario.endsWithOutage, !scenario.troubles.contains(.remove) {
        simulation.after(20_000_000) { [unowned self] in simulation.oracle.expectsSessions() }
      }
    }
    repairSplits()
  }
}
