import LatchkeyModel

/// Inheritance of applications.
///
/// Spec: Protocol/13-agent.md §8.
extension AgentMachine {
  /// A Boolean value that indicates whether the kernel's reports of copies are needed, because a
  /// process passes on an application.
  public var followsCopies: Bool { !lineages.isEmpty }

  public var inherited: [ProcessIdentity: AppID] {
    followed.identities.reduce(into: [:]) { found, process in found[process] = followed[process]?.inherited }
  }

  /// Sets the inherited applications that an earlier run of the agent stored.
  public mutating func found(inherited: [ProcessIdentity: AppID]) { inheritedBefore = inherited }

  /// Notes that a process began as a copy of another one.
  public mutating func forked(_ child: Int32, of parent: Int32) { lineages.forked(child, of: parent) }

  /// Returns the application that a process has inherited when it is first seen.
  mutating func inheritance(of facts: ProcessFacts) -> AppID? {
    let app = lineages.take(facts.identity.processID) ?? inheritedBefore.removeValue(forKey: facts.identity)
    return app ?? lineages.passedOn(to: facts)
  }

  /// Lets processes inherit from parents that were recognized only after them.
  mutating func inheritLate(_ now: BootInstant) -> [AgentEffect] {
    guard !lineages.isEmpty else { return [] }
    // Parents come before their children.
    let waiting = followed.identities.filter { followed[$0]?.inherited == nil }
      .sorted { ($0.startTime, $0.processID) < ($1.startTime, $1.processID) }
    var effects: [AgentEffect] = []
    for process in waiting {
      guard var known = followed[process], let app = lineages.passedOn(to: known.facts) else { continue }
      known.inherited = app
      followed[process] = known
      inheritedChanges += 1
      effects += look(at: process, now)
    }
    return effects
  }

  /// Begins the use of processes with an inherited application that were seen in two full scans.
  ///
  /// Shorter processes are not worth a report.
  mutating func beginInherited(seenBefore began: BootInstant, _ now: BootInstant) -> [AgentEffect] {
    let waiting = [followed.ruled, followed.others].flatMap { all in
      all.filter { $0.value.isFleeting && $0.value.firstSeen < began }.keys
    }
    var effects: [AgentEffect] = []
    for process in waiting.sorted() {
      guard var known = followed[process] else { continue }
      known.hasStayed = true
      followed[process] = known
      effects += look(at: process, now)
    }
    return effects
  }
}

extension AgentMachine.Followed {
  /// Returns the application that it passes on to the processes that it starts and to its next
  /// program; `nil` for none.
  func passedOn(_ supervised: AgentMachine.Supervised) -> AppID? {
    guard facts.passesOn else { return nil }
    guard let own else { return inherited }
    return supervised.programs[own]?.countsLaunches == true ? own : nil
  }

  /// Returns whether new facts of a process show that it runs another program.
  func runsOther(_ new: ProcessFacts) -> Bool {
    if let before = facts.programPlace, let after = new.programPlace { return before != after }
    return facts.images.first?.path != new.images.first?.path
  }
}
