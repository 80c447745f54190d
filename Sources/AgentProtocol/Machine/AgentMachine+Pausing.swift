import LatchkeyModel

/// Programs that are frozen instead of closed, and resumed when they may run again.
///
/// Spec: Protocol/13-agent.md §9, §12.
extension AgentMachine {
  public var paused: Set<ProcessIdentity> {
    Set(followed.ruled.filter { $0.value.closing == .paused }.keys).union(frozenBefore)
  }

  /// Sets the processes that an earlier run of the agent froze.
  ///
  /// Call this before the first process is seen.
  public mutating func found(frozen: Set<ProcessIdentity>) { frozenBefore = frozen }

  /// Returns the effects after the first full scan.
  ///
  /// They resume the processes that no orders freeze.
  public mutating func sawFrozen() -> [AgentEffect] {
    defer { frozenBefore = [] }
    return frozenBefore.sorted().map { .resume($0) }
  }

  /// Notes that a process could not be frozen; it is closed instead.
  public mutating func couldNotPause(_ process: ProcessIdentity, at now: BootInstant) -> [AgentEffect] {
    guard var known = followed[process], let supervised = accounts[known.facts.account] else { return [] }
    (known.isUnpausable, known.closing) = (true, nil)
    let effects = enforce(&known, supervised, now)
    followed[process] = known
    return effects
  }

  /// Notes that a frozen process was moved out of its control group and runs.
  ///
  /// It is killed immediately.
  public mutating func escaped(_ process: ProcessIdentity, at now: BootInstant) -> [AgentEffect] {
    guard var known = followed[process], known.closing == .paused, let use = known.use else { return [] }
    known.isUnpausable = true
    known.closing = .killed(againAt: now + Self.againMilliseconds)
    followed[process] = known
    let terms = accounts[use.account]?.terms(of: use.app)
    return [.kill(process), tell(closed(use, .killed, terms, known), now)]
  }

  /// Returns whether a program is frozen instead of closed when its time is over.
  func pauses(_ known: Followed, _ terms: ProgramTerms) -> Bool {
    terms.step == .pause && abilities.canPause && !known.isUnpausable
  }

  mutating func pause(
    _ known: inout Followed, _ use: ProgramUse, _ terms: ProgramTerms, _ now: BootInstant
  ) -> [AgentEffect] {
    known.closing = .paused
    let ended = end(known, now)
    known.began = nil
    return [.pause(use.process), tell(closed(use, .paused, terms, known), now)] + ended
  }

  /// Resumes a program if it was frozen, and clears the steps that were taken to close it.
  mutating func letGoOn(_ known: inout Followed, _ now: BootInstant) -> [AgentEffect] {
    defer { known.closing = nil }
    guard known.closing == .paused else { return [] }
    var effects: [AgentEffect] = [.resume(known.facts.identity)]
    if let use = known.use {
      known.began = now
      activity.start(use)
      effects.append(tell(.began(use, since: now, activity: activity.reading(of: use)), now))
    }
    return effects
  }
}
