import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyStore

/// A service that begins and ends sessions of use on this machine by what the agent reports.
///
/// A session's times never depend on a caller: it begins when the node is told of the program, and
/// ends when the agent reports the end of its last program.
///
/// Spec: Protocol/06-messages.md §5.
actor UsageService {
  let context: NodeContext
  private let directory: LinkDirectory
  let wake = ChangeSignal()
  /// What the agent's clocks of unknown programs that merely count showed when they were recorded
  /// last, with the version of what was known then.
  var unknownClocks: [ManyPrograms: (reading: SessionActivity.Reading, version: UInt64)] = [:]
  /// The sessions of `usage track` that a report has ended although their program runs.
  var cut: [ProcessIdentity: OpenUsageSession] = [:]
  /// Milliseconds between two heartbeats, as between two of the agent's reports of activity.
  private static let heartbeat: Int64 = 5_000
  /// Milliseconds between two reports of what runs.
  private static let reportPause: Int64 = 60_000
  /// Milliseconds within which an agent reports what it watches and what ended.
  static let patience: Int64 = 10_000
  /// The sessions that parents were told of last, with whether each is paused, and when.
  private(set) var told: (sessions: [RecordID: Bool], at: BootInstant)?
  /// The instant up to which the journal says that programs ran.
  private var keptAt = BootInstant(milliseconds: 0)
  private var hasEndedEarlier = false
  /// When the agent was last heard, and from when on all is known of what it watches, by a clock
  /// that stops in sleep.
  private var (heardAt, settledAt) = (SuspendingClock.now, SuspendingClock.now)

  init(context: NodeContext, directory: LinkDirectory) {
    self.context = context
    self.directory = directory
    if context.configuration.agent != .none { settledAt += .milliseconds(Self.patience) }
  }

  func run() async {
    await wake.follow(retry: Self.heartbeat, "the usage sessions could not be checked", context.logger) {
      try await check()
    }
  }

  // MARK: The agent

  func agentChanged() {
    context.sessions.unwatchAll()
    heardAt = .now
    settledAt = .now + .milliseconds(Self.patience)
    wake.notify()
  }

  func heard(of instant: BootInstant) {
    heardAt = .now
    let (instant, wall) = past(instant)
    context.sessions.ran(at: instant, wall: wall)
  }

  func watches(_ process: ProcessIdentity, at instant: BootInstant) {
    let (instant, wall) = past(instant)
    context.sessions.watch(process, at: instant, wall: wall)
  }

  /// Returns an instant that is not in the future, with its time in Unix milliseconds.
  private func past(_ instant: BootInstant) -> (BootInstant, wall: Int64) {
    let now = context.now()
    return (min(instant, now), wall - max(0, now - instant))
  }

  // MARK: Requests

  func note(closed: [RecordID], reopened: [RecordID], at now: BootInstant) async throws(StoreError) {
    try await context.store.note(closed: closed, reopened: reopened, now: now)
    try await context.sessions.read(from: context.store)
  }

  // MARK: Checks

  /// The time in Unix milliseconds, limited to values that a record can hold.
  var wall: Int64 { min(max(context.wall(), 0), HybridTimestamp.wallLimit - 1) }

  /// Ends what no agent watches any more, keeps how long the others have run, and tells parents.
  ///
  /// Returns the milliseconds until the next check; `nil` if none is needed.
  private func check() async throws(StoreError) -> Int64? {
    if !hasEndedEarlier {
      for session in try await context.store.openSessions() where session.bootID != context.bootID {
        _ = try await finish(
          session.recordID, session.processes, endedAt: (session.lastSeenAt, session.sessionEnd),
          session.processes.isEmpty ? nil : .interrupted)
      }
      hasEndedEarlier = true
    }
    if SuspendingClock.now >= heardAt + .milliseconds(Self.patience) { context.sessions.unwatchAll() }
    for session in context.sessions.all { try await settle(session) }
    try await keep()
    let open = context.sessions.all
    try await tell(open)
    if !open.isEmpty { await context.tickHouseholdTime() }
    let now = context.now()
    return open.map { session in
      guard context.sessions.isQuiet(session, at: now) else { return Self.heartbeat }
      return max(Self.heartbeat, OpenUsageSession.pauseMilliseconds - (now - session.lastSeenAt))
    }.min()
  }

  /// Ends a session that has paused for long enough, and its programs that no agent watches.
  private func settle(_ session: OpenUsageSession) async throws(StoreError) {
    guard SuspendingClock.now >= settledAt else { return }
    let (silence, seen) = (context.now() - session.lastSeenAt, (session.lastSeenAt, session.sessionEnd))
    if session.isPaused {
      if silence >= OpenUsageSession.pauseMilliseconds {
        _ = try await finish(session.recordID, [], endedAt: seen, nil)
      }
      return
    }
    let gone = context.sessions.unwatched(in: session)
    guard !gone.isEmpty, silence >= Self.patience else { return }
    if session.appID.isOfMany {
      try await pause(session, gone, at: session.lastSeenAt, wall: session.sessionEnd)
    } else {
      _ = try await finish(session.recordID, gone, endedAt: seen, .interrupted)
    }
  }

  /// Records that the sessions continue whose programs the agent watches.
  private func keep() async throws(StoreError) {
    let sessions = context.sessions.watchedSessions
    guard let last = sessions.max(by: { $0.lastSeenAt < $1.lastSeenAt }), last.lastSeenAt - keptAt >= Self.heartbeat / 2
    else { return }
    try await context.store.heartbeat(sessions.map(\.recordID), now: last.lastSeenAt, at: last.sessionEnd)
    keptAt = last.lastSeenAt
  }

  /// Tells parents what runs: when that has changed, and once a minute while anything does.
  private func tell(_ open: [OpenUsageSession]) async throws(StoreError) {
    guard context.profile.role == .child else { return }
    let now = context.now()
    let isQuiet = Dictionary(
      open.map { ($0.recordID, context.sessions.isQuiet($0, at: now)) }, uniquingKeysWith: { first, _ in first })
    if let told, told.sessions == isQuiet, isQuiet.isEmpty || now - told.at < Self.reportPause { return }
    let list = RunningUse.list(open.flatMap { RunningUse.of($0, at: now, isPaused: isQuiet[$0.recordID]) })
    let changes = try await context.store.setInventory(list, at: context.wall()).changes
    told = (isQuiet, now)
    await directory.committed(changes)
    context.useNews.notify()
    context.changes.notify()
  }

  // MARK: Ends

  /// Removes programs from a session of many programs, which may wait for the next one.
  ///
  /// With a `boot`, they are removed where they go on since somebody else was named.
  func pause(
    _ session: OpenUsageSession, _ processes: [ProcessIdentity], in boot: String? = nil, at end: BootInstant,
    wall: Int64
  ) async throws(StoreError) {
    try await context.store.pause(session.recordID, of: processes, in: boot, at: end, wall: wall)
    try await context.sessions.read(from: context.store)
  }

  /// Removes programs from a session, and ends it with the last one; returns its end, if any.
  ///
  /// With a `boot`, it ends the session in which they go on since somebody else was named. Without
  /// an `end`, the session is expected to have ended. Without `evidence`, the session keeps its
  /// own.
  func finish(
    _ id: RecordID, _ processes: [ProcessIdentity], in boot: String? = nil,
    endedAt end: (at: BootInstant, wall: Int64)?, _ evidence: UsageEvidence?
  ) async throws(StoreError) -> SessionEnding? {
    let ending = try await context.store.endSession(
      id, of: processes, in: boot, at: context.wall(), end: end?.at
    ) { [context] session, effects in
      guard let end else { throw StoreError.unexpected("a session that has ended and is open") }
      return try Self.record(of: session, endedAt: end, evidence, at: context.time.now, &effects)
    }
    if end != nil { try await context.sessions.read(from: context.store) }
    guard case .ended(_, let changes) = ending else { return ending }
    if !changes.isEmpty { CrashPoint.itemAccepted.reached() }
    await tell(of: changes)
    return ending
  }

  /// Tells everybody of records that are durable.
  func tell(of changes: [OutboxChange]) async {
    await directory.committed(changes)
    context.changes.notify()
    context.factNews.notify()
    context.useNews.notify()
    // Parents hear of what still runs.
    wake.notify()
  }

  /// Returns the record of a session that ends, with the points that follow from it.
  static func record(
    of session: OpenUsageSession, endedAt end: (at: BootInstant, wall: Int64), _ evidence: UsageEvidence?,
    at householdTime: Int64, _ effects: inout DatabaseEffects
  ) throws -> UsageRecord {
    var record = session.ended(at: end.at, wall: end.wall)
    record.evidence = evidence ?? record.evidence
    if let child = session.child, session.category != .neutral {
      // While it has more time to save than usual, it does not run against a rule.
      let grace = max(0, try effects.rules(of: child).app(session.appID).grace * 1_000 - ProgramTerms.usualGrace)
      let closed = session.closedAt.map { max(0, end.at - $0 - grace) } ?? 0
      record.earnedMilliPoints = try effects.takePoints(
        from: record, of: child, elapsed: max(0, end.at - session.startedAt), closed: closed,
        isSeen: session.activity != nil, at: householdTime)
    }
    return record
  }
}

extension AgentHello {
  func watches(_ account: UInt32) -> Bool { isSystem ? account != 0 : account == user }
}
