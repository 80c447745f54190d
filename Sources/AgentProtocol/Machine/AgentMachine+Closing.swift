import LatchkeyModel

/// Closing programs whose time is over, and warnings before that (Protocol/13-agent.md §9).
extension AgentMachine {
  mutating func enforce(_ known: inout Followed, _ supervised: Supervised, _ now: BootInstant) -> [AgentEffect] {
    guard let use = known.use, let terms = supervised.terms(of: use.app), let closesAt = terms.closesAt,
      isClosed(since: closesAt, now), !known.facts.isProtected
    else { return letGoOn(&known, now) }
    if pauses(known, terms) {
      // A program that started when its application was already closed is killed. It loses no work,
      // and would otherwise be frozen again and again.
      if known.closing == .paused { return [] }
      if !known.beganClosed(since: closesAt) { return pause(&known, use, terms, now) }
    }
    let wasPaused = known.closing == .paused
    switch known.closing {
    case nil, .paused:
      if known.beganClosed(since: closesAt) {
        known.closing = .killed(againAt: now + Self.againMilliseconds)
        return [.kill(use.process), tell(closed(use, .killed, terms, known), now)]
      }
      known.closing = .asked(killAt: now + terms.graceMilliseconds)
      // A frozen program does not receive the request.
      return (wasPaused ? [.resume(use.process)] : [])
        + [.ask(use.process), tell(closed(use, .asked, terms, known), now)]
    case .asked(let killAt):
      // Newer orders may leave less time than those by which it was asked.
      let due = min(killAt, now + terms.graceMilliseconds)
      known.closing = .asked(killAt: due)
      guard due <= now else { return [] }
      known.closing = .killed(againAt: now + Self.againMilliseconds)
      return [.kill(use.process), tell(closed(use, .killed, terms, known), now)]
    case .killed(let againAt):
      guard againAt <= now else { return [] }
      known.closing = .killed(againAt: now + Self.againMilliseconds)
      return [.kill(use.process)]
    }
  }

  /// The next instant at which something is due; `nil` if nothing is.
  public func nextTimer(after now: BootInstant) -> BootInstant? {
    var next = nextHeartbeat
    func add(_ instant: BootInstant) { next = next.map { min($0, instant) } ?? instant }
    if let sessions = nextOfSessions(after: now) { add(sessions) }
    for known in followed.ruled.values {
      // A program without terms needs the heartbeat too: its use is reported.
      if known.began != nil, nextHeartbeat == nil { add(now + Self.heartbeatMilliseconds) }
      switch known.closing {
      case .asked(let killAt): add(killAt)
      case .killed(let againAt): add(againAt)
      case .paused: break
      case nil:
        guard let use = known.use, let terms = accounts[use.account]?.terms(of: use.app) else { continue }
        if let closesAt = terms.closesAt, !known.facts.isProtected {
          let due = closing(at: closesAt)
          if due > now { add(due) }
        }
        for warning in terms.warnings where warning > now { add(warning) }
      }
    }
    if nextHeartbeat == nil, isAnybodyThere(at: now) { add(now + Self.heartbeatMilliseconds) }
    return next
  }

  /// Carries out everything that is due.
  public mutating func timerFired(at now: BootInstant) -> [AgentEffect] {
    advance(to: now)
    var effects: [AgentEffect] = []
    for process in followed.ruled.keys.sorted() {
      guard var known = followed[process], let supervised = accounts[known.facts.account] else { continue }
      effects += enforce(&known, supervised, now)
      followed[process] = known
    }
    effects += closeSessions(now) + warnOfSessions(now) + warn(now)
    let isDue = nextHeartbeat.map { $0 <= now } ?? true
    guard isDue else { return effects }
    let running = followed.ruled.keys.sorted().compactMap { process -> (ProgramUse, BootInstant)? in
      guard let known = followed[process], let use = known.use, let began = known.began else { return nil }
      return (use, began)
    }
    // A child may start any number of unknown and other programs. One report for each of the two
    // kinds in an account is enough.
    var told: Set<WarnedKey> = []
    for (use, began) in running
    where !use.recorded.isOfMany || told.insert(WarnedKey(account: use.account, app: use.app)).inserted {
      effects.append(tell(.active(use, milliseconds: max(0, now - began), activity: activity.reading(of: use)), now))
    }
    effects += tellScreenTime(now)
    nextHeartbeat = running.isEmpty && !isAnybodyThere(at: now) ? nil : now + Self.heartbeatMilliseconds
    return effects
  }

  /// Reports that the wall clock was set by some milliseconds, which has no other effect.
  public mutating func clockWasSet(_ milliseconds: Int64, at now: BootInstant) -> [AgentEffect] {
    [tell(.clockSet(milliseconds: milliseconds), now)]
  }

  mutating func warn(_ now: BootInstant) -> [AgentEffect] {
    var running: Set<WarnedKey> = []
    for known in followed.ruled.values {
      if let use = known.use, !known.facts.isProtected { running.insert(WarnedKey(account: use.account, app: use.app)) }
    }
    var effects: [AgentEffect] = []
    for key in running.sorted(by: { ($0.account, $0.app?.text ?? "") < ($1.account, $1.app?.text ?? "") }) {
      let terms = accounts[key.account]?.terms(of: key.app)
      guard let warning = terms?.warning(after: warned[key], at: now) else { continue }
      warned[key] = warning
      effects.append(tell(.warned(account: key.account, app: key.app, left: warning.closesAt - now), now))
    }
    return effects
  }
}

/// Programs that are frozen instead of closed, and resumed when they may run again
/// (Protocol/13-agent.md §9, §12).
extension AgentMachine {
  public var paused: Set<ProcessIdentity> {
    Set(followed.ruled.filter { $0.value.closing == .paused }.keys).union(frozenBefore)
  }

  /// Sets the processes that an earlier run of the agent froze.
  ///
  /// Call this before the first scan.
  public mutating func found(frozen: Set<ProcessIdentity>) { frozenBefore = frozen }

  /// Returns the effects that resume the processes of an earlier run that no orders freeze.
  ///
  /// Call this after the first full scan.
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

  /// Notes that a frozen process left its control group and runs; it is killed immediately.
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
  private mutating func letGoOn(_ known: inout Followed, _ now: BootInstant) -> [AgentEffect] {
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

extension AgentMachine {
  public func terms(of app: AppID?, in account: UInt32) -> ProgramTerms? { accounts[account]?.terms(of: app) }

  /// Returns the report that a program is closed.
  ///
  /// It contains matchers if the program is an unknown program or one of the other programs.
  func closed(
    _ use: ProgramUse, _ deed: AgentReport.Deed, _ terms: ProgramTerms?, _ known: Followed
  ) -> AgentReport.Event {
    let isApplication = use.app.map { $0 != .otherPrograms } ?? false
    return .closed(
      use, deed, reason: terms.map { reason($0, of: known) } ?? "", matchers: isApplication ? [] : known.facts.matchers)
  }

  /// Returns the reason in a program's terms.
  ///
  /// For an unknown program and one of the other programs, it contains the name of the file.
  private func reason(_ terms: ProgramTerms, of known: Followed) -> String {
    guard let use = known.use, use.app == nil || use.app == .otherPrograms else { return terms.reason }
    let images = known.facts.images
    let image = images.first { !$0.isLoader } ?? images.first
    return use.app == nil
      ? ClosingSentence.reason(terms.reason, ofUnknown: image?.name ?? "")
      : ClosingSentence.reason(terms.reason, ofOther: image?.name ?? "")
  }
}
