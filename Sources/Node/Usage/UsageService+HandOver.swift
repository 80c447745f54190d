import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The sessions of accounts that several children share, when somebody else is there than before.
///
/// Spec: Protocol/10-household.md §3, 06-messages.md §5.
extension UsageService {
  /// Keeps who is there in an account, and gives its running programs to that child, in one
  /// transaction; does nothing if somebody else than `before` is there.
  func setPresent(_ present: PresentChild, after before: PresentChild? = nil) async throws(StoreError) {
    try await handOver(present.account, try await context.readHousehold(), to: present, after: before)
  }

  /// Gives the programs of shared accounts that were begun for others to the children for whom they
  /// count now, as after a parent has changed whose an account is.
  ///
  /// A child who does not share the account any more is not named in it any more.
  func handOverShared() async throws(StoreError) {
    let household = try await context.readHousehold()
    for present in try await context.store.presentChildren() where present.bootID == context.bootID {
      guard let child = present.child,
        !household.sharers(of: present.account, on: context.own).contains(child)
      else { continue }
      try await handOver(present.account, household, to: context.nobody(after: present), after: present)
    }
    var stale: Set<UInt32> = []
    for session in context.sessions.all {
      guard let account = session.account,
        !session.sharers.isEmpty || !household.sharers(of: account, on: context.own).isEmpty
      else { continue }
      if !session.counts(for: household.user(of: account, on: context.own)) { stale.insert(account) }
    }
    for account in stale.sorted() { try await handOver(account, household) }
  }

  private func handOver(
    _ account: UInt32, _ household: Household, to present: PresentChild? = nil, after before: PresentChild? = nil
  ) async throws(StoreError) {
    let own = context.own
    let (now, wall, householdTime, boot) = (context.now(), self.wall, context.time.now, context.bootID)
    let changes = try await context.store.handOver(
      account, to: present, after: before, in: boot, at: context.wall(),
      make: { session, effects in
        // What waits for its next program was last used before.
        let end = session.processes.isEmpty ? session.lastSeenAt : max(now, session.startedAt)
        return try Self.record(of: session, endedAt: (end, wall - max(0, now - end)), nil, at: householdTime, &effects)
      },
      next: { session, known in
        // Somebody may have been named since the household was read.
        var household = household
        household.present[account] = known.flatMap { $0.bootID == boot ? $0.child : nil }
        let user = household.user(of: account, on: own)
        guard user != .nobody, !session.counts(for: user) else { return nil }
        guard let id = RecordID(bytes: SecureRandom.bytes(16)) else { throw StoreError.unexpected("an ID") }
        var terms = UseTerms(session.appID, user, household)
        if session.isWeak { terms.earnNothing() }
        return session.going(on: id, terms, from: now, wall, householdStart: householdTime)
      })
    try await context.sessions.read(from: context.store)
    await tell(of: changes)
  }
}

extension OpenUsageSession {
  /// Returns whether it counts for those who use its account now.
  fileprivate func counts(for user: AccountUser) -> Bool {
    switch user {
    case .nobody: true
    case .child(let child): self.child == child && sharers.isEmpty
    case .together(let children): sharers.map(\.child) == children
    }
  }

  /// Returns the session in which its programs go on at an instant, on other terms.
  ///
  /// The agent's clock goes on from what it showed last, so that nothing counts twice.
  fileprivate func going(
    on id: RecordID, _ terms: UseTerms, from now: BootInstant, _ wall: Int64, householdStart: Int64
  ) -> OpenUsageSession {
    var next = self
    next.recordID = id
    (next.child, next.sharers) = (terms.child, terms.sharers)
    (next.category, next.milliPointsPerMinute) = (terms.category, terms.milliPointsPerMinute)
    (next.startedAt, next.lastSeenAt) = (max(now, startedAt), max(now, startedAt))
    (next.sessionStart, next.sessionEnd, next.householdStart) = (wall, wall, householdStart)
    next.closedAt = nil
    next.activity = activity.map { activity in
      // Of unknown programs that are rewards, the clock is when they went on.
      record.appID == .unknownPrograms && record.category == .reward
        ? SessionActivity(run: 0, clock: next.startedAt.milliseconds)
        : SessionActivity(run: activity.run, clock: activity.clock)
    }
    return next
  }
}

extension NodeContext {
  /// Returns that from now on nobody is named in the account of a child who was there.
  func nobody(after present: PresentChild) -> PresentChild {
    PresentChild(
      account: present.account, child: nil, bootID: bootID, since: BootInstant(milliseconds: 0), changedAt: now())
  }
}
