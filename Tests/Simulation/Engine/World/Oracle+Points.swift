import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// The conditions on facts.
extension Oracle {
  /// Records what a durable transaction has written, and checks what it received.
  func checkFacts(_ node: SimulatedNode, _ before: ModelStore) {
    let (held, earlier) = (node.store.holdings, before.holdings)
    for fact in held.made.dropFirst(earlier.made.count) {
      simulation.note(
        16, "\(node.name) made \(words(fact)); purse \(held.facts.ledgers[fact.child]?.purse(of: node.device) ?? 0)")
      switch fact.kind {
      case .ledger: if let entry = LedgerEntry(fact.text) { written[fact.child, default: Ledger()].merge(entry) }
      case .request: if let request = ChildRequest(fact.text) { asked[fact.child, default: []].insert(request) }
      case .answer: if let answer = RequestAnswer(fact.text) { answered[fact.child, default: []].insert(answer) }
      default: break
      }
    }
    guard held.facts.last > earlier.facts.last else { return }
    for fact in held.facts.facts(after: earlier.facts.last).map(\.fact) {
      if node.role == .child, !held.serves(fact.child) {
        simulation.fail("\(node.name) holds a fact about a child whose machine it is not")
      }
      guard isWhole, let entry = LedgerEntry(fact.text), written[fact.child]?.entries[entry.id] == nil else { continue }
      simulation.fail("\(node.name) counts points of child \(number(fact.child)) that no machine gave")
    }
    checkPurse(node)
  }

  /// A Boolean value that indicates whether no machine was ever restored to an older state or
  /// copied.
  private var isWhole: Bool { setBackAt.isEmpty && cloned.isEmpty }

  /// Returns a fact with the names of machines in place of their IDs, for the trace.
  private func words(_ fact: Fact) -> String {
    simulation.nodes.reduce("\(fact.text) of child \(number(fact.child))") { text, node in
      text.replacing(Hexadecimal.encode(node.device.bytes), with: node.name)
    }
  }

  private func number(_ child: ChildID) -> Int { (checker().household.persons.firstIndex(of: child) ?? -1) + 1 }

  /// Checks that a machine spends no more than it has, even after a long separation.
  ///
  /// All machines together then never spend more than the balance. A machine whose pairing has
  /// ended forgets its entries, even those that no other machine has received.
  private func checkPurse(_ node: SimulatedNode) {
    let isPairedAnew = pasts.contains { couple, past in
      past.isPairedAnew && (couple.parent == node.device || couple.child == node.device)
    }
    guard isWhole, !isPairedAnew else { return }
    for (child, ledger) in written where ledger.purse(of: node.device) < 0 {
      simulation.fail(
        "\(node.name) has spent \(-ledger.purse(of: node.device)) milli-points of child \(number(child)) that it did not "
          + "have")
    }
  }

  /// Returns a description of a difference in points or requests once everything has arrived; `nil`
  /// if there is none.
  func wrongFacts() -> String? {
    if let wrong = wrongReturns() { return wrong }
    let household = checker().household
    for child in household.persons {
      let machines = household.children.filter { $0.store.holdings.serves(child) }
      let nodes = (household.parents + machines).filter { node in
        household.parents.contains { parent in isComparable(parent, node) }
      }
      // Parents learn of each other through the child's machines.
      guard nodes.count == household.parents.count + machines.count, !machines.isEmpty, let first = nodes.first else {
        continue
      }
      let texts = Set(first.store.holdings.facts.facts(of: child).map(\.text))
      for node in nodes.dropFirst() {
        let others = Set(node.store.holdings.facts.facts(of: child).map(\.text))
        guard let lost = texts.symmetricDifference(others).min() else { continue }
        let (one, other) = texts.contains(lost) ? (first, node) : (node, first)
        return "\(one.name) holds a fact about child \(number(child)) that \(other.name) does not: \(lost)"
      }
      if let wrong = wrongPoints(child, nodes) ?? wrongAnswers(child, nodes) { return wrong }
    }
    return nil
  }

  /// Checks that a restored machine has got back its own facts, if its control stream was restarted
  /// since.
  private func wrongReturns() -> String? {
    for node in checker().nodes {
      for (device, epoch) in (controlAtSetBack[node.device] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let other = checker().node(device), let stream = other.store.peer(node.device)?.incoming[.control],
          stream.epoch != epoch, node.store.peer(device)?.state == .active
        else { continue }
        let past = past(couple(node.device, device))
        guard !past.isPairedAnew, !past.isUneven, !isCloned(node.device), !isCloned(device) else { continue }
        for child in (other.store.holdings.holders[node.device] ?? []).sorted()
        where takesFacts(node, of: child, from: device) {
          let made = other.store.holdings.facts.made(by: node.device, about: child)
          // A fact that the machine has replaced by a later one is not lost.
          guard let lost = made.first(where: node.store.holdings.facts.isNews) else { continue }
          return "\(node.name) was restored, and never got back from \(other.name) what it had made: \(lost.text)"
        }
      }
    }
    return nil
  }

  /// Returns whether a machine accepts facts about a child from another one.
  ///
  /// A restored parent may no longer know that it has assigned the other machine to the child.
  private func takesFacts(_ node: SimulatedNode, of child: ChildID, from device: DeviceID) -> Bool {
    guard node.role == .parent else { return node.store.holdings.serves(child) }
    return inMemory { try node.store.holdings.register(HouseholdKey.child(child), in: .machine(device)) } != nil
  }

  /// Returns whether a machine has received everything from all machines with which it is compared.
  private func isComparable(_ parent: SimulatedNode, _ node: SimulatedNode) -> Bool {
    let household = checker().household
    let couples =
      node.role == .parent
      ? household.children.map { Couple(parent: node.device, child: $0.device) }
      : household.parents.map { Couple(parent: $0.device, child: node.device) }
    return couples.allSatisfy { couple in
      guard let parent = checker().node(couple.parent), let child = checker().node(couple.child) else { return false }
      let past = past(couple)
      return isCouple(parent, child) && !past.isSetBack && !past.isPairedAnew && !past.isUneven
    }
  }

  private func wrongPoints(_ child: ChildID, _ nodes: [SimulatedNode]) -> String? {
    guard isWhole, !bereft.contains(child), let ledger = written[child] else { return nil }
    for node in nodes {
      let balance = node.store.holdings.facts.ledgers[child]?.balance ?? 0
      if balance != ledger.balance {
        return "child \(number(child)) has \(balance) milli-points on \(node.name), and was given \(ledger.balance)"
      }
    }
    for (id, found) in ledger.repeats where nodes.contains(where: { $0.device == id.purse }) {
      let taken = ledger.entries[EntryID(purse: id.purse, kind: .repeated, source: id.source)]?.milliPoints ?? 0
      if -taken > found.milliPoints { return "more was taken back from child \(number(child)) than was earned twice" }
      // The machine asks for what the parents hold.
      let holders = [id.purse] + nodes.filter { $0.role == .parent }.map(\.device)
      if -taken < found.milliPoints, holders.contains(where: { ledger.purse(of: $0) > 0 }) {
        return "child \(number(child)) earned twice for learning on two machines at once"
      }
    }
    return nil
  }

  /// Checks that a request has one answer on every machine: the first that a parent gave.
  private func wrongAnswers(_ child: ChildID, _ nodes: [SimulatedNode]) -> String? {
    guard isWhole, !bereft.contains(child) else { return nil }
    for request in asked[child] ?? [] {
      let first = (answered[child] ?? []).filter { $0.request == request.id }.min { $0.modified < $1.modified }
      for node in nodes {
        let (requests, answers) = inMemory { try node.store.holdings.requests(of: child) }
        guard requests.contains(request) else { return "a request of child \(number(child)) is not on \(node.name)" }
        let state = RequestBook(requests, answers).state(of: request.id, on: node.moment.day)
        switch (state, first) {
        case (.open, nil): break
        case (.answered(let answer), let first?) where answer == first: break
        default: return "a request of child \(number(child)) is answered otherwise on \(node.name)"
        }
      }
    }
    return nil
  }
}
