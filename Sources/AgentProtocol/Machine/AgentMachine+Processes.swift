import LatchkeyModel

/// Processes, and what they are recognized as (Protocol/13-agent.md §8, §9).
extension AgentMachine {
  public mutating func saw(_ facts: ProcessFacts, at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    guard let supervised = accounts[facts.account] else { return ended(facts.identity, at: now) }
    if var known = followed[facts.identity] {
      // The kernel's report of a copy may arrive after the copy was scanned.
      if let late = lineages.take(facts.identity.processID), known.inherited == nil { known.inherited = late }
      if known.runsOther(facts) {
        // It keeps its inherited application, unless the program is another one by itself.
        let inherited = known.passedOn(supervised)
        if inherited != known.inherited { inheritedChanges += 1 }
        (known.inherited, known.programSince) = (inherited, lastLook)
      }
      if known.becomesOther(facts, supervised) { (known.seenAt, known.lookBefore) = (now, lastLook) }
      known.facts = facts
      followed[facts.identity] = known
    } else {
      let inherited = inheritance(of: facts)
      guard followed.count < Self.capacity || hasRoom(facts, inherited, supervised) else { return [] }
      if inherited != nil { inheritedChanges += 1 }
      var new = Followed(
        facts: facts, match: nil, inherited: inherited, firstSeen: now, seenAt: now, lookBefore: lastLook)
      if frozenBefore.remove(facts.identity) != nil { new.closing = .paused }
      followed[facts.identity] = new
    }
    return look(at: facts.identity, now)
  }

  /// Returns whether there is room for a process although `capacity` processes are followed.
  ///
  /// Processes without orders do not count against those with orders. Unknown programs, other
  /// programs, and programs that applications start, do not count against applications.
  private func hasRoom(_ facts: ProcessFacts, _ inherited: AppID?, _ supervised: Supervised) -> Bool {
    if frozenBefore.contains(facts.identity) { return followed.ruled.count < Self.capacity }
    let (match, own) = supervised.recognize(facts, inheriting: inherited)
    guard match != nil else { return false }
    return (own == nil ? followed.ruled.count : followed.applicationCount) < Self.capacity
  }

  public mutating func ended(_ process: ProcessIdentity, at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    guard let known = followed.remove(process) else { return [] }
    lineages.ended(process)
    if known.inherited != nil { inheritedChanges += 1 }
    let told = end(known, now)
    guard told.isEmpty else {
      if isNamed(process) { toldGone.insert(process) }
      return told
    }
    return tellGone(process, now)
  }

  /// The processes that orders name and nobody follows, unless the node was told of their end.
  public var missing: [ProcessIdentity] {
    accounts.values.flatMap(\.table.namedProcesses).filter { followed[$0] == nil && !toldGone.contains($0) }.sorted()
  }

  /// Notes that a process named in the orders ended before it was seen.
  public mutating func gone(_ process: ProcessIdentity, at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    return followed[process] == nil ? tellGone(process, now) : []
  }

  func isNamed(_ process: ProcessIdentity) -> Bool { accounts.values.contains { $0.table.named(process) != nil } }

  /// Tells the node, only once, that a process named in the orders has ended without any use.
  private mutating func tellGone(_ process: ProcessIdentity, _ now: BootInstant) -> [AgentEffect] {
    for (account, supervised) in accounts {
      guard let app = supervised.table.named(process), toldGone.insert(process).inserted else { continue }
      let use = ProgramUse(account: account, app: app, isWeak: true, process: process)
      return [tell(.ended(use, milliseconds: 0, activity: activity.reading(of: use)), now)]
    }
    return []
  }

  public mutating func looked(
    present: Set<ProcessIdentity>, since began: BootInstant? = nil, at now: BootInstant
  ) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for process in followed.identities.filter({ !present.contains($0) }).sorted() { effects += ended(process, at: now) }
    let began = began ?? now
    effects += inheritLate(now) + beginInherited(seenBefore: began, now)
    lineages.looked()
    lastLook = began
    return effects
  }

  /// Notes that the kernel's events were lost, and that a full scan has made up for them.
  public mutating func rescanned(at now: BootInstant) -> [AgentEffect] { [tell(.rescanned, now)] }

  /// Determines what a process is, and whether it may run.
  ///
  /// If the orders or their matchers are new (`isNewlyOrdered`), a program that is now one of the
  /// unknown or other programs is in use from now on: earlier orders did not count it.
  mutating func look(at process: ProcessIdentity, _ now: BootInstant, isNewlyOrdered: Bool = false) -> [AgentEffect] {
    guard var known = followed[process] else { return [] }
    guard let supervised = accounts[known.facts.account] else {
      followed[process] = nil
      lineages.ended(process)
      return end(known, now) + (known.closing == .paused ? [.resume(process)] : [])
    }
    var effects: [AgentEffect] = []
    let (match, own) = supervised.recognize(known.facts, inheriting: known.inherited)
    known.own = own
    if match != known.match {
      effects += end(known, now)
      (known.match, known.began) = (match, nil)
      // A frozen program stays frozen until it is certain that it may run.
      if known.closing != .paused { known.closing = nil }
    }
    if known.match != nil, known.began == nil, known.closing == nil, !known.isFleeting,
      !isToBeKilledAtOnce(known, supervised, now)
    {
      let start = known.facts.startedAt
      if isNewlyOrdered, known.isOneOfMany { known.seenAt = now }
      let began = now - start <= Self.lateMilliseconds ? max(start, BootInstant(milliseconds: 0)) : known.seenAt
      known.began = min(began, now)
      if let use = known.use {
        activity.start(use)
        effects.append(tell(.began(use, since: min(began, now), activity: activity.reading(of: use)), now))
      }
    }
    effects += enforce(&known, supervised, now)
    followed[process] = known
    lineages.set(process, passesOn: known.passedOn(supervised), since: known.programSince ?? known.facts.startedAt)
    return effects
  }

  /// Returns whether a program started after its application's time was over.
  ///
  /// Such a start does not count as use.
  private func isToBeKilledAtOnce(_ known: Followed, _ supervised: Supervised, _ now: BootInstant) -> Bool {
    guard let use = known.use, let terms = supervised.terms(of: use.app), let closesAt = terms.closesAt else {
      return false
    }
    return closesAt <= now && !known.facts.isProtected && known.beganClosed(since: closesAt)
  }

  mutating func end(_ known: Followed, _ now: BootInstant) -> [AgentEffect] {
    guard let use = known.use, let began = known.began else { return [] }
    activity.stop(use)
    return [tell(.ended(use, milliseconds: max(0, now - began), activity: activity.reading(of: use)), now)]
  }
}
