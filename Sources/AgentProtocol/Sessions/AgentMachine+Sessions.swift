import LatchkeyModel

/// Closing of sessions, and refusal of log-ins (Protocol/13-agent.md §13).
extension AgentMachine {
  /// The time between locking sessions and ending them, in milliseconds.
  private static let sessionGraceMilliseconds: Int64 = 5_000
  /// The time between two searches for the remaining processes of an account, in milliseconds.
  private static let sweepMilliseconds: Int64 = 5_000
  /// The time within which refused log-ins of the same account are reported once, in milliseconds.
  private static let refusalMilliseconds: Int64 = 60_000

  /// The sessions of an account that may not be open.
  struct ClosedSessions: Hashable, Sendable {
    /// A Boolean value that indicates whether they were ended, as opposed to locked.
    var areEnded = false
    /// When the next step is due.
    var dueAt: BootInstant
    /// When they were first seen unlocked; `nil` while they are locked.
    var unlockedSince: BootInstant?
    /// How often they were asked to lock and seen unlocked afterwards.
    var attempts = 0
    /// A Boolean value that indicates whether the node and the child have been informed.
    var isTold = false
  }

  /// Returns whether a session of an account may begin, and reports a refusal to the node.
  public mutating func mayLogIn(_ account: UInt32, at now: BootInstant) -> (GateAnswer, [AgentEffect]) {
    guard let terms = sessionTerms(of: account), terms.step == .close, terms.areClosed(at: now) else {
      return (GateAnswer(isAllowed: true), [])
    }
    let answer = GateAnswer(isAllowed: false, reason: terms.reason)
    if let told = refusals[account], now - told < Self.refusalMilliseconds { return (answer, []) }
    refusals[account] = now
    return (answer, [tell(.logInRefused(account: account, reason: terms.reason), now)])
  }

  /// Notes that log-ins were let through because the agent did not answer.
  public mutating func letThrough(_ count: UInt64, at now: BootInstant) -> [AgentEffect] {
    [tell(.letThrough(count: count), now)]
  }

  /// Returns when and why the sessions of an account close; `nil` if they do not.
  private func sessionTerms(of account: UInt32) -> SessionTerms? {
    guard abilities.canClose(sessionsOf: account) else { return nil }
    return accounts[account]?.orders.sessions
  }

  /// Locks the sessions that may not be open, and ends them a moment later unless an always-allowed
  /// application runs.
  mutating func closeSessions(_ now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for account in accounts.keys.sorted() {
      guard let terms = sessionTerms(of: account), terms.areClosed(at: now) else {
        closedSessions[account] = nil
        if unlockable.remove(account) != nil { effects += tellOrders(now) }
        continue
      }
      if terms.step != .close {
        effects += lockSessions(of: account, terms, now)
        continue
      }
      guard var closed = closedSessions[account] else {
        closedSessions[account] = ClosedSessions(dueAt: now + Self.sessionGraceMilliseconds)
        effects += [
          .lockSessions(account), tell(.sessionsClosed(account: account, areEnded: false, reason: terms.reason), now),
        ]
        continue
      }
      guard closed.dueAt <= now else { continue }
      closed.dueAt = now + Self.sweepMilliseconds
      if !runsAlwaysAllowed(in: account) {
        effects.append(.endSessions(account))
        if !closed.areEnded {
          closed.areEnded = true
          effects.append(tell(.sessionsClosed(account: account, areEnded: true, reason: terms.reason), now))
        }
      }
      closedSessions[account] = closed
    }
    return effects
  }

  /// Locks the sessions of an account, and locks them again whenever they are unlocked.
  private mutating func lockSessions(of account: UInt32, _ terms: SessionTerms, _ now: BootInstant) -> [AgentEffect] {
    var closed = closedSessions[account] ?? ClosedSessions(dueAt: now)
    guard closed.dueAt <= now else { return [] }
    defer { closedSessions[account] = closed }
    closed.dueAt = now + Self.sweepMilliseconds
    let presence = activity.presence
    // Only the desktop says that a session is locked. It is asked once in any case.
    let isUnlocked = presence.accounts?.contains(account) ?? true || activity.doubted.contains(account)
    guard isUnlocked || !closed.isTold else {
      (closed.unlockedSince, closed.attempts) = (nil, 0)
      return unlockable.remove(account) != nil ? tellOrders(now) : []
    }
    if terms.step == .lockUnlessAllowed {
      if runsAlwaysAllowed(in: account) {
        closed.unlockedSince = nil
        return []
      }
      // A person who has unlocked the screen has a moment to start an always-allowed application.
      let since = closed.unlockedSince ?? (closed.isTold ? now : now + -Self.startMilliseconds)
      closed.unlockedSince = since
      if now - since < Self.startMilliseconds { return [] }
    }
    var effects: [AgentEffect] = [.lockSessions(account)]
    if !closed.isTold {
      closed.isTold = true
      effects.append(tell(.sessionsClosed(account: account, areEnded: false, reason: terms.reason), now))
    }
    if presence.accounts != nil, isUnlocked { closed.attempts += 1 }
    // The session was asked three times, and is still seen unlocked.
    if closed.attempts == Self.mostAttempts + 1, unlockable.insert(account).inserted { effects += tellOrders(now) }
    return effects
  }

  /// The time for starting an always-allowed application on an unlocked screen, in milliseconds.
  static let startMilliseconds: Int64 = 30_000
  /// How often a screen is asked to lock before a fault is reported to the node.
  private static let mostAttempts = 3

  /// The next instant at which something about sessions is due; `nil` if nothing is.
  func nextOfSessions(after now: BootInstant) -> BootInstant? {
    accounts.keys.compactMap { account -> BootInstant? in
      guard let terms = sessionTerms(of: account), let closesAt = terms.closesAt else { return nil }
      if closesAt > now { return ([closesAt] + terms.warnings).filter { $0 > now }.min() }
      return terms.areClosed(at: now) ? closedSessions[account]?.dueAt ?? now : nil
    }.min()
  }

  /// Warns of the sessions that close soon.
  mutating func warnOfSessions(_ now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    for account in accounts.keys.sorted() {
      guard let terms = sessionTerms(of: account),
        let warning = terms.warning(after: warnedOfSessions[account], at: now)
      else { continue }
      warnedOfSessions[account] = warning
      effects.append(tell(.sessionsWarned(account: account, left: warning.closesAt - now, reason: terms.reason), now))
    }
    return effects
  }

  private func runsAlwaysAllowed(in account: UInt32) -> Bool {
    guard let supervised = accounts[account] else { return false }
    return followed.ruled.values.contains { known in
      // A weak match keeps no session open, since any program can have a name or an argument.
      known.facts.account == account && known.match?.isWeak == false
        && known.match?.app.flatMap { supervised.programs[$0]?.isAlwaysAllowed } == true
    }
  }
}

extension AgentAbilities {
  /// Returns whether it can close the sessions of an account, which is not the node's own.
  func canClose(sessionsOf account: UInt32) -> Bool { canCloseSessions && account != nodeAccount && account != 0 }
}
