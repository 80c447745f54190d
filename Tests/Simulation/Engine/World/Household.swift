import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport

/// The people, who pair machines, issue commands and use programs.
final class Household {
  unowned let simulation: Simulation
  private static let apps = ["org.gnome.Chess", "org.kde.krita", "net.minetest", "a"].compactMap { AppID($0) }
  private var acts = 0
  /// The children, some of whom have several machines.
  var persons: [ChildID] = []

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  private var scenario: Scenario { simulation.scenario }
  var parents: [SimulatedNode] { simulation.nodes.filter { $0.role == .parent } }
  var children: [SimulatedNode] { simulation.nodes.filter { $0.role == .child } }

  /// Creates, pairs and starts the machines of all persons.
  func move(in scenario: Scenario) {
    for place in 0..<(scenario.parents + scenario.children) {
      _ = simulation.add(
        Samples.deviceID(&simulation.random), place < scenario.parents ? .parent : .child,
        linkKey: scenario.isSealed ? simulation.linkKeys() : nil)
    }
    if scenario.registers {
      // A child has about four machines, since what one machine of a child learns is sent to all of
      // its others.
      let count = max(2, scenario.children / 4)
      persons = (0..<count).compactMap { _ in ChildID(bytes: simulation.effectRandom.bytes(16)) }
    }
    for parent in parents { for child in children { pair(parent, child, isWhole: true) } }
    if scenario.registers { for parent in parents { begin(parent) } }
    for node in simulation.nodes {
      simulation.after(Int64(simulation.random.below(2_000_000))) { node.start() }
    }
  }

  /// Plans the actions of the people during the troubles.
  func plan() {
    for _ in 0..<scenario.work {
      // Often several actions take place at the same time.
      let time = Int64(simulation.random.below(Int(scenario.length))) * 1_000
      for turn in 0..<(1 + simulation.random.below(3)) {
        simulation.at(time + Int64(turn * simulation.random.below(50_000))) { [unowned self] in act() }
      }
    }
  }

  private func act() {
    if simulation.effectRandom.once(in: 6) { list(children[simulation.effectRandom.below(children.count)]) }
    if simulation.random.below(100) < scenario.usageShare {
      guard let child = simulation.pick(children) else { return }
      if scenario.registers, simulation.effectRandom.below(3) > 0 { return live(child) }
      use(child)
    } else if let parent = simulation.pick(parents), let child = simulation.pick(children) {
      if scenario.registers {
        switch simulation.effectRandom.below(4) {
        case 0: return answer(parent)
        case 1, 2: return edit(parent)
        default: break
        }
      }
      command(parent, child)
    }
  }

  // MARK: Registers

  private static let keys: [RegisterKey] = ["lock", "mode", "limits/daily", "later/key"]

  /// Assigns the machines to children, and sends each machine its part of the household.
  private func begin(_ parent: SimulatedNode) {
    var changes = persons.enumerated().map { ModelEdit(.child($1), HouseholdKey.name, "Child \($0)") }
    for (place, child) in children.enumerated() {
      // Of two children, the first has all machines. Every other machine is shared with the next
      // child.
      let first = persons.count == 2 ? 0 : place % persons.count
      for person in [persons[first], persons[(first + 1) % persons.count]].prefix(1 + place % 2) {
        changes.append(ModelEdit(.machine(child.device), HouseholdKey.child(person), HouseholdKey.yes))
      }
    }
    let wall = parent.wall
    _ = try? parent.store.edit(changes, nextID: { [unowned self] in nextID(parent, wall) }, at: wall)
  }

  private func nextID(_ parent: SimulatedNode, _ wall: Int64) -> CommandID {
    parent.commandIDs.next(wall: wall, random: simulation.effectRandom.bytes(8))
  }

  /// Edits one or two registers, as a parent.
  private func edit(_ parent: SimulatedNode) {
    acts += 1
    var changes: [ModelEdit] = []
    for _ in 0...simulation.effectRandom.below(2) { changes.append(change()) }
    if changes.count == 2, changes[0].zone == changes[1].zone, changes[0].key == changes[1].key { changes.removeLast() }
    let (wall, edits) = (parent.wall, changes)
    parent.act(after: 0) { [unowned self, unowned parent] in
      parent.disk.commit("edit") {
        [unowned self, unowned parent] (store: inout ModelStore) throws(ModelStoreFault) in
        try store.edit(edits, nextID: { self.nextID(parent, wall) }, at: wall)
      } then: { [unowned self, unowned parent] result in
        guard case .success(let changes) = result else { return }
        finish(parent) { parent.committed(changes) }
      }
    }
  }

  private func change() -> ModelEdit {
    let machine = children[simulation.effectRandom.below(children.count)].device
    let person = persons[simulation.effectRandom.below(persons.count)]
    // With two parents who disagree on an assignment, there would be nothing to compare the other's
    // edits with.
    if parents.count == 1, simulation.effectRandom.once(in: 8) {
      let isTaken = simulation.effectRandom.once(in: 2)
      if isTaken { simulation.oracle.bereft.insert(person) }
      return ModelEdit(.machine(machine), HouseholdKey.child(person), isTaken ? nil : HouseholdKey.yes)
    }
    let zones: [Zone] = [.family, .child(person), .child(person), .machine(machine)]
    let value = simulation.effectRandom.once(in: 4) ? nil : "value \(acts % 7)"
    return ModelEdit(
      simulation.effectRandom.pick(zones), simulation.effectRandom.pick(Self.keys), value)
  }

  /// Issues a command, as a person.
  func command(_ parent: SimulatedNode, _ child: SimulatedNode) {
    acts += 1
    let (device, wall) = (child.device, parent.wall)
    let id = parent.commandIDs.next(wall: wall, random: simulation.random.bytes(8))
    let isLock = scenario.locks && simulation.random.once(in: 5)
    let payload: CommandPayload =
      isLock ? CommandPayload(SimulatedLock(level: Int64(acts))) : .message("message \(acts)")
    // Some have a short lifetime, some the usual one, and most have none: a machine that sleeps for
    // a month lets the others expire.
    let lifetime: Int64? =
      switch simulation.random.below(8) {
      case 0, 1: Int64(1 + simulation.random.below(600_000))
      case 2: nil
      default: 0
      }
    parent.act(after: 0) { [unowned self, unowned parent] in
      parent.disk.commit("command", with: device) {
        [unowned self, unowned parent] (store: inout ModelStore) throws(ModelStoreFault) in
        let change = try store.issue(id, payload, to: device, expiresAfter: lifetime, at: wall)
        // The command ages from here on: the machine may sleep for a month before the answer
        // arrives.
        simulation.oracle.issued(id, parent, lifetime)
        return change
      } then: { [unowned self, unowned parent] result in
        guard case .success(let change) = result else { return }
        finish(parent) { parent.committed([change]) }
      }
    }
  }

  /// Records the use of a program.
  func use(_ child: SimulatedNode) {
    acts += 1
    guard let id = RecordID(bytes: simulation.random.bytes(16)) else { return }
    let start = 1_800_000_000_000 + Int64(simulation.random.below(30)) * 3_600_000 / 3
    let milliseconds = Int64(1 + simulation.random.below(600_000))
    let record = UsageRecord(
      recordID: id, device: child.device, appID: Self.apps[simulation.random.below(2)], displayName: "x",
      sessionStart: start, sessionEnd: start + milliseconds, zone: "UTC", activeMilliseconds: milliseconds,
      category: .learning, milliPointsPerMinute: 1_000, earnedMilliPoints: milliseconds / 60, evidence: .observed)
    child.act(after: 0) { [unowned self, unowned child] in
      child.disk.commit("usage") { (store: inout ModelStore) throws(ModelStoreFault) in
        try store.report(record)
      } then: { [unowned self, unowned child] result in
        guard case .success(let changes) = result else { return }
        finish(child) { child.committed(changes) }
      }
    }
  }

  /// Gives a new list of what weakens rules on a machine.
  private func list(_ child: SimulatedNode) {
    let conditions = (0..<simulation.effectRandom.below(4)).map { _ in
      MachineCondition("other-enforcer", detail: "n\(simulation.effectRandom.below(9))")
    }
    child.act(after: 0) { [unowned child] in
      child.disk.commit("list") { (store: inout ModelStore) throws(ModelStoreFault) in
        try store.setInventory(EntryList(conditions))
      } then: { [unowned child] result in
        if case .success(let changes) = result { child.committed(changes) }
      }
    }
  }

  /// Queues one item in its own transaction, if a deliberate fault requires it.
  private func finish(_ node: SimulatedNode, then: @escaping () -> Void) {
    then()
    guard simulation.fault == .numberBeforeItem else { return }
    node.disk.commit("items of numbers") {
      $0.keepItemsOfNumbers()
    } then: { _ in
      then()
    }
  }

  /// Cancels a command, as a person.
  func cancel() {
    guard let parent = simulation.pick(parents), parent.isRunning,
      // An edit is not cancelled; another edit replaces it.
      let id = simulation.pick(
        parent.store.commands.filter { $0.status == .queued && $0.payload.as(Edit.self) == nil }.map(\.id))
    else { return }
    parent.act(after: 0) { [unowned parent] in
      parent.disk.commit("cancel") {
        $0.cancel(id)
      } then: { _ in
      }
    }
  }

  /// Removes a device from another, as a person.
  func remove(_ other: DeviceID, from node: SimulatedNode) {
    let (device, bytes) = (node.device, simulation.random.bytes(16))
    node.act(after: 0) { [unowned self, unowned node] in
      guard node.store.peer(other)?.state == .active else { return }
      let oracle = simulation.oracle
      node.disk.commit("remove") { (store: inout ModelStore) throws(ModelStoreFault) in
        oracle.removes(other, of: device, store)
        return try store.remove(other, removal: device.bytes + other.bytes, itemID: bytes)
      } then: { [unowned node] result in
        guard case .success(let removed) = result else { return }
        node.removed(other)
        node.handOut(removed.rotations)
      }
    }
  }

  /// Pairs two machines that have both stored the new key.
  ///
  /// With `isWhole`, both use the key; otherwise, only one does.
  func pair(_ parent: SimulatedNode, _ child: SimulatedNode, isWhole: Bool) {
    let key = simulation.keys.freshKey()
    simulation.note(6, "\(parent.name) and \(child.name) are paired")
    simulation.oracle.pairs(parent, child)
    let isParentFirst = simulation.random.once(in: 2)
    for (node, other, isFirst) in [(parent, child, isParentFirst), (child, parent, !isParentFirst)] {
      node.remembered[other.device] = ([other.place], nil)
      node.store.savePending(other.device, other.role, key: key)
      if isFirst || isWhole { _ = try? node.store.promote(other.device) }
      if scenario.registers, node === parent, node.store.peer(other.device)?.state == .active {
        let wall = node.wall
        _ = try? node.store.introduce(other.device, nextID: { [unowned self] in nextID(node, wall) }, at: wall)
      }
      guard node.isRunning else { continue }
      // A link knows of the durable half before the other machine learns of it.
      if let record = node.store.peer(other.device), let link = node.link(other.device), !link.machine.isEnded {
        link.refresh(record)
      }
      node.committed(node.store.controlToParents())
      node.refresh(other.device)
    }
  }

  /// Issues one more of every kind of item after the troubles.
  func lastWave() {
    for parent in parents {
      for child in children where simulation.oracle.isCouple(parent, child) {
        command(parent, child)
        if parent === parents.first { use(child) }
        if simulation.effectRandom.once(in: 2) { list(child) }
        if scenario.registers { answer(parent) }
      }
    }
  }
}
