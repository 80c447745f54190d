import LatchkeyHousehold
import LatchkeyModel

/// The conditions that must hold once all disturbances have ended.
extension Oracle {
  private var couples: [(parent: SimulatedNode, child: SimulatedNode)] {
    let household = checker().household
    return household.parents.flatMap { parent in household.children.map { (parent, $0) } }
  }

  /// Returns a description of an item that has not arrived yet; `nil` if all have.
  func whatIsMissing() -> String? {
    for (parent, child) in couples {
      let names = "\(parent.name) and \(child.name)"
      guard parent.isRunning, child.isRunning else { return "\(names) do not run" }
      guard !parent.isPointsNews, !child.isPointsNews else { return "\(names) have not looked at points" }
      let past = past(Couple(parent: parent.device, child: child.device))
      let (one, other) = (parent.store.peer(child.device), child.store.peer(parent.device))
      // Machines that were restored, removed and half paired must be paired again by people.
      let isTangled = past.isSetBack && [one?.state, other?.state].contains { $0 == .removedUntold || $0 == .removed }
      if !isTangled, !past.wasRemovedHalfPaired, one?.pendingKey != nil || other?.pendingKey != nil {
        return "the pairing of \(names) is half made: \(brief(one)) and \(brief(other))"
      }
      if isSplit(parent, child) { return "\(names) were set back, and have to be paired anew" }
      if !past.isSetBack, !past.wasRemovedHalfPaired {
        if one?.state == .removedUntold, other?.state == .active { return "\(child.name) does not know of its removal" }
        if other?.state == .removedUntold, one?.state == .active {
          return "\(parent.name) does not know of its removal"
        }
        if one?.state == .active, other?.state == .active, !isCouple(parent, child) {
          return "\(names) are paired, and hold no common key"
        }
      }
      guard isCouple(parent, child) else { continue }
      guard parent.link(child.device)?.current != nil, child.link(parent.device)?.current != nil else {
        return "\(names) have no session"
      }
      guard parent.link(child.device)?.connection === child.link(parent.device)?.connection else {
        return "\(names) keep different sessions"
      }
      // A command that was cancelled too late is also reported, once its effect has an outcome.
      if child.store.pending.contains(where: { $0.author == parent.device }) {
        return "an effect is under way on \(child.name) for ever"
      }
      for (node, peer) in [(parent, one), (child, other)] {
        for (streamClass, stream) in peer?.sending ?? [] where stream.storedThrough < stream.last {
          return
            "\(node.name)'s \(streamClass.word) of \(names): stored through \(stream.storedThrough) of \(stream.last)"
        }
      }
    }
    return unansweredCommand()
  }

  private func brief(_ peer: ModelPeer?) -> String {
    guard let peer else { return "nothing" }
    let keys = peer.keys.forCalling.map { "\($0[0])" }.joined(separator: "/")
    return "\(peer.state) with \(keys)\(peer.pendingKey.map { " pending \($0[0])" } ?? "")"
  }

  /// Returns whether two machines have lost no stored data.
  ///
  /// Spec: Protocol/05-delivery.md §8.
  private func isWholePast(_ past: CouplePast) -> Bool { !past.hasUnnoticedNumbers && !past.isSetBackAgain }

  private func unansweredCommand() -> String? {
    for parent in checker().household.parents {
      for command in parent.store.commands where !command.status.isFinal {
        guard let child = checker().node(command.target), isCouple(parent, child),
          isWholePast(past(Couple(parent: parent.device, child: child.device)))
        else { continue }
        return "command \(command.sequence) of \(parent.name) for \(child.name) is \(command.status.rawValue) for ever"
      }
    }
    return nil
  }

  /// Returns a description of a broken guarantee; `nil` if there is none.
  func whatIsWrong() -> String? {
    for (parent, child) in couples where isCouple(parent, child) {
      let past = past(Couple(parent: parent.device, child: child.device))
      guard isWholePast(past), !isCloned(child.device) else { continue }
      if let wrong = wrongCommands(parent, child, past) ?? wrongRegisters(parent, child)
        ?? wrongUsage(parent, child, past) ?? wrongLists(parent, child)
      {
        return wrong
      }
    }
    return scenario.registers ? wrongFacts() : nil
  }

  /// Checks that the shown status of each command is its true one.
  private func wrongCommands(_ parent: SimulatedNode, _ child: SimulatedNode, _ past: CouplePast) -> String? {
    guard !past.isSetBack, let pairing = parent.store.peer(child.device)?.pairing else { return nil }
    for command in parent.store.commands where command.target == child.device && command.pairing == pairing {
      let isApplied = child.store.receipts[command.id] != nil
      let isTold = [.executed, .failed, .superseded].contains(command.status)
      if isApplied != isTold, !(past.isUneven && isApplied) {
        return
          "a command of \(parent.name) counts as \(command.status.rawValue) and was \(isApplied ? "" : "not ")executed"
          + " on \(child.name)"
      }
    }
    return nil
  }

  /// Checks that a child's machine holds the latest edit of each register that its parents have set
  /// for it.
  ///
  /// It must hold nothing else, and every parent must know all of it.
  private func wrongRegisters(_ parent: SimulatedNode, _ child: SimulatedNode) -> String? {
    let all = checker().household.parents
    let isComparable = all.allSatisfy { parent in
      let past = past(Couple(parent: parent.device, child: child.device))
      return isCouple(parent, child) && !past.isSetBack && !past.isPairedAnew && !past.isUneven
    }
    guard checker().scenario.registers, isComparable else { return nil }
    func zones(_ registers: [RegisterMap.Place: Register]) -> Set<Zone> {
      let own = registers.values.filter { $0.zone == .machine(child.device) }
      return Set([.family, .machine(child.device)] + HouseholdKey.children(servedIn: own).map { .child($0) })
    }
    let held = RegisterMap(child.store.holdings.registers.values)
    let served = zones(child.store.holdings.registers)
    if let foreign = held.registers.first(where: { !served.contains($0.zone) }) {
      return "\(child.name) holds \(foreign.key) of \(foreign.zone), which is not its own"
    }
    var wanted = RegisterMap()
    for parent in all {
      for register in parent.store.holdings.registers.values where served.contains(register.zone) {
        wanted.merge(register)
      }
    }
    if let one = first(wanted, held) { return "\(one) is another on \(child.name) than its parents have set" }
    var known = RegisterMap()
    let told = parent.store.holdings.notes[child.device] ?? [:]
    for register in Array(parent.store.holdings.registers.values) + told.values where served.contains(register.zone) {
      known.merge(register)
    }
    return first(known, held).map { "\(parent.name) does not know \($0) of \(child.name)" }
  }

  /// A parent knows the last list of each kind that a child's machine has given of itself.
  private func wrongLists(_ parent: SimulatedNode, _ child: SimulatedNode) -> String? {
    for (place, list) in child.store.inventories where place.device == child.device {
      let known = parent.store.inventories[place]
      if known?.number != list.number || known?.entries != list.entries {
        return "\(parent.name) knows another list of \(place.kind) than \(child.name) gives"
      }
    }
    return nil
  }

  private func first(_ one: RegisterMap, _ other: RegisterMap) -> String? {
    let places = Set((one.registers + other.registers).map { RegisterMap.Place($0.zone, $0.key) }).sorted()
    return places.first { one[$0.zone, $0.key] != other[$0.zone, $0.key] }.map { "\($0.key) of \($0.zone)" }
  }

  /// Checks that every record is at the parent once: by itself, in a total, or counted in a loss.
  private func wrongUsage(_ parent: SimulatedNode, _ child: SimulatedNode, _ past: CouplePast) -> String? {
    guard let peer = child.store.peer(parent.device) else { return nil }
    let members = child.sources.members
    let totals = parent.store.usage.keys.filter { members[$0] != nil }
    let lost = Set(parent.store.losses.keys.flatMap { members[$0] ?? [] })
    var counts: [RecordID: Int] = [:]
    for total in totals { for record in members[total] ?? [] { counts[record, default: 0] += 1 } }
    for (record, recipients) in child.store.reported where recipients[parent.device] == peer.pairing {
      let count = (counts[record] ?? 0) + (parent.store.usage[record] == nil ? 0 : 1)
      if count == 0, !lost.contains(record), !peer.refused.contains(record) {
        return "a record of \(child.name) is not at \(parent.name)"
      }
      if count > 1, !past.isSetBack { return "a record of \(child.name) counts \(count) times at \(parent.name)" }
    }
    guard !past.isSetBack else { return nil }
    for total in totals {
      let sum = (members[total] ?? []).reduce(0) { $0 + (child.store.usage[$1]?.activeMilliseconds ?? 0) }
      if child.store.usage[members[total]?.first ?? total]?.device == child.device,
        sum != parent.store.usage[total]?.activeMilliseconds
      {
        return "a total of \(child.name) is not the sum of its records"
      }
    }
    return nil
  }
}
