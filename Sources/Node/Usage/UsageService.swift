import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeySystem
import Logging

/// A service for usage sessions of programs on this machine, which it begins, keeps open while the programs run, and
/// ends with them.
///
/// A session's times never depend on a caller: it begins when the node is told of the program, and ends when the kernel
/// reports the end of its last program.
///
/// Spec: Protocol/06-messages.md §5.
actor UsageService {
  let context: NodeContext
  private let directory: LinkDirectory
  let wake: ChangeSignal
  let watch: ProcessWatch
  /// The processes of learning of which the system's agent tells how long a person used them.
  var learning: Set<ProcessIdentity> = []
  /// The programs that the agent sees and that have no place among those that are recorded, at most 4,096.
  var unrecorded: Set<ProcessIdentity> = []
  /// The unknown programs that are recorded as processes: those that are rewards.
  var unknown: Set<ProcessIdentity> = []
  /// What the agent's clock of unknown programs that merely count showed when it was recorded last, and what was known
  /// when it was found that they do, by account.
  var unknownClocks: [ManyPrograms: (reading: SessionActivity.Reading, version: UInt64)] = [:]
  /// A Boolean value that indicates whether the next check of the running programs is not to come with the usual pause.
  var isResting = false
  /// When a place was last looked for, by application.
  var placesSought: [AppID: BootInstant] = [:]
  /// The time between two checks of the running programs, in milliseconds.
  private static let heartbeat: Int64 = 2_000
  /// The time between two reports of what runs, in milliseconds.
  private static let reportPause: Int64 = 60_000
  /// The sessions that parents were told of last, and when; `nil` before the first report of this run.
  private var told: (sessions: Set<RecordID>, at: BootInstant)?

  init(context: NodeContext, directory: LinkDirectory) {
    self.context = context
    self.directory = directory
    let wake = ChangeSignal()
    self.wake = wake
    watch = ProcessWatch { wake.notify() }
  }

  func run() async {
    while !Task.isCancelled {
      let seen = wake.version
      // Without an answer, the sessions may be running or have ended. The next check decides.
      var pause: Int64? = Self.heartbeat
      do {
        let open = try await look()
        pause = self.pause(open)
        try await tell(open)
        if !open.isEmpty { await context.tickHouseholdTime() }
      } catch {
        context.logger.error("the usage sessions could not be checked", metadata: ["reason": "\(error)"])
      }
      isResting = pause != Self.heartbeat
      await wake.wait(after: seen, milliseconds: pause)
    }
  }

  /// Returns the time until the next check of open sessions, in milliseconds; `nil` if none is needed.
  ///
  /// Nothing happens in sessions that only wait for the next use, until they have waited for long enough.
  private func pause(_ open: [OpenUsageSession]) -> Int64? {
    let now = context.now()
    let pauses = open.map { session in
      let since = now - session.lastSeenAt
      let isWaiting = session.isPaused && since >= 2 * Self.heartbeat
      return isWaiting ? max(Self.heartbeat, OpenUsageSession.pauseMilliseconds - since) : Self.heartbeat
    }
    return pauses.min()
  }

  /// Begins a session for a program, or adds the program to the open session of its application.
  ///
  /// `user` is the caller's user ID according to the kernel.
  func start(_ request: UsageStartRequest, by user: UInt32) async throws(LocalAPIError) -> UsageStarted {
    guard let appID = AppID(request.appID) else {
      throw LocalAPIError(
        .invalid, "“\(DeviceName(sanitising: request.appID))” is no application ID: use letters, digits, dots.")
    }
    if appID.isOfMany {
      throw LocalAPIError(
        .invalid, "“\(appID)” stands for many programs together: give the program an ID of its own.")
    }
    let name = request.displayName ?? request.appID
    if let fault = TextRule.displayName.fault(in: name) ?? TextRule.zone.fault(in: request.zone) {
      throw LocalAPIError(.invalid, fault)
    }
    let (now, wall) = (context.now(), self.wall)
    let check = UsageStartCheck(
      request: request, user: user, process: RunningProcess(pid: request.processID), now: now, wall: wall)
    if let fault = check.fault { throw fault }
    let process = ProcessIdentity(processID: request.processID, startTime: request.processStartTime)
    // Watched before the session is durable, since the program may end in between.
    watch.begin(process)
    let opening: SessionOpening
    let isBlocked: Bool
    do {
      // A session that has ended must not continue with this program.
      for session in try await context.store.openSessions() where session.appID == appID { try await settle(session) }
      let id = SecureRandom.bytes(16)
      let household = try await context.readHousehold()
      let child = household.child(of: user, on: context.own)
      let householdStart = context.time.now
      let rules = household.rules(for: child)
      let installed = try await context.store.installed(on: context.own)?.apps.first { $0.appID == appID }?.name
      opening = try await context.store.openSession(of: appID, process, account: user, bootID: context.bootID) {
        [context] in
        guard let id = RecordID(bytes: id) else { throw StoreError.unexpected("an ID") }
        let terms = UseTerms(appID, rules)
        return OpenUsageSession(
          recordID: id, appID: appID, displayName: request.displayName ?? terms.name ?? installed ?? appID.text,
          processes: [process], bootID: context.bootID, startedAt: now, lastSeenAt: now, startedAtWall: wall,
          lastSeenAtWall: wall, zone: request.zone, category: terms.category,
          milliPointsPerMinute: terms.milliPointsPerMinute, evidence: .tracked, account: user, child: child,
          householdStart: householdStart)
      }
      isBlocked = rules.app(appID).isBlocked
    } catch {
      watch.forget(process)
      throw LocalAPIError(error)
    }
    switch opening {
    case .open(let session), .openInPlace(let session, _):
      // A clock that the agent kept for what it saw first is another application's.
      learning.remove(process)
      await noteClosed(session)
      wake.notify()
      context.factNews.notify()
      return UsageStarted(
        recordID: session.recordID, isBlocked: isBlocked, enforcement: context.enforcement)
    case .otherApplication(let other):
      throw LocalAPIError(
        .invalid, "This program is already recorded as “\(other)”: start another one to record “\(appID)”.")
    case .ended:
      watch.forget(process)
      throw LocalAPIError(.tooLate, "This program has ended, and its use is recorded: start it again to record more.")
    case .full:
      watch.forget(process)
      throw LocalAPIError(
        .limit, "\(Limits.trackedPrograms) programs are recorded already: close some of them and try again.")
    }
  }

  /// Records that learning begins although a rule has closed its program.
  private func noteClosed(_ session: OpenUsageSession) async {
    guard session.category == .learning, session.closedAt == nil, let child = session.child else { return }
    // Without an answer, the next look at the rules notes it.
    guard let household = try? await context.readHousehold(),
      let standing = try? await StandingReader(context: context).read(child, household),
      standing.shown(session.appID).verdict.isAllowed == false
    else { return }
    try? await context.store.note(closed: [session.recordID], reopened: [], now: session.startedAt)
  }

  /// Checks the programs of a session now, and returns its record if all of them have ended.
  func end(_ id: RecordID) async throws(LocalAPIError) -> UsageRecord {
    do {
      let open = try await context.store.openSessions().first { $0.recordID == id }
      let found = if let open { try await settle(open) } else { try await finish(id, [], endedAt: nil, nil) }
      guard let ending = found else {
        throw LocalAPIError(
          .unknownSession, "There is no such session on this machine: start it with `latchkey usage track`.")
      }
      guard case .ended(let record, _) = ending else {
        throw LocalAPIError(
          .stillRunning, "The session continues, since one of its programs is still running: it ends with that program."
        )
      }
      return record
    } catch let error as LocalAPIError { throw error } catch let error as StoreError {
      throw LocalAPIError(error)
    } catch {
      throw LocalAPIError(.internal, "\(error)")
    }
  }

  /// The time in Unix milliseconds, limited to values that a record can hold.
  var wall: Int64 { min(max(context.wall(), 0), HybridTimestamp.wallLimit - 1) }

  /// Ends sessions whose programs have ended, and records that the others continue.
  ///
  /// Returns the sessions that are open.
  private func look() async throws(StoreError) -> [OpenUsageSession] {
    let (now, wall) = (context.now(), self.wall)
    var alive: [OpenUsageSession] = []
    try await cutUnknown()
    for session in try await context.store.openSessions() {
      if case .open = try await settle(session) { alive.append(session) }
    }
    if !alive.isEmpty { try await context.store.heartbeat(alive.map(\.recordID), now: now, at: wall) }
    return alive
  }

  /// Has the parents hear of what runs: when that has changed, and once a minute while anything does.
  private func tell(_ open: [OpenUsageSession]) async throws(StoreError) {
    guard context.profile.role == .child else { return }
    let (sessions, now) = (Set(open.map(\.recordID)), context.now())
    if let told, told.sessions == sessions, sessions.isEmpty || now - told.at < Self.reportPause { return }
    let changes = try await context.store.tellRunning(open.map { RunningUse($0, at: now) }, at: context.wall())
    told = (sessions, now)
    await directory.committed(changes)
    context.useNews.notify()
    context.changes.notify()
  }

  /// Removes ended programs from a session, and ends the session with the last one.
  @discardableResult
  private func settle(_ session: OpenUsageSession) async throws(StoreError) -> SessionEnding? {
    var ended: [ProcessIdentity] = []
    var exited: Set<ProcessIdentity> = []
    // A program whose end was not observed is taken to have ended when it was last seen.
    var end = (at: session.lastSeenAt, wall: session.lastSeenAtWall)
    var evidence = session.evidence
    if session.isPaused, session.bootID == context.bootID, isWaiting(session) { return .open }
    for process in session.processes {
      switch session.bootID == context.bootID ? watch.state(of: process) : .gone {
      case .running: continue
      case .gone:
        // The agent has seen the end, and tells of it.
        if session.evidence == .observed, session.bootID == context.bootID,
          context.enforcementState.isAboutToTell(ofSessionSince: session.startedAt, at: context.now())
        {
          continue
        }
        evidence = .interrupted
      case .ended(let at, let wall):
        // The agent is about to tell how long a person used it.
        if session.activity != nil, session.evidence == .observed, context.enforcementState.tellsActivity,
          context.now() - at < EnforcementState.awaitedMilliseconds
        {
          continue
        }
        exited.insert(process)
        if at > end.at { end = (at, wall) }
      }
      ended.append(process)
    }
    if ended.isEmpty, !session.processes.isEmpty { return .open }
    // A program cannot have been used later than now.
    if session.bootID == context.bootID { end.at = min(end.at, context.now()) }
    if session.appID.isOfMany, session.bootID == context.bootID, !ended.isEmpty {
      try await context.store.pause(session.recordID, of: ended, at: end.at, wall: end.wall)
      for process in ended {
        watch.forget(process)
        unknown.remove(process)
      }
      return .open
    }
    let ending = try await finish(session.recordID, ended, exited: exited, endedAt: end, evidence)
    for process in ended { watch.forget(process) }
    return ending
  }

  /// Removes programs from a session, and ends the session if they were the last.
  ///
  /// - Parameters:
  ///   - id: The ID of the session.
  ///   - processes: The programs that have ended.
  ///   - exited: Those of them that were seen to exit.
  ///   - end: The time of their end; `nil` for a session that is expected to have ended.
  ///   - evidence: How the session was observed; `nil` for the session's own value.
  /// - Returns: The end of the session; `nil` if it continues.
  /// - Throws: `StoreError` if the end cannot be stored.
  func finish(
    _ id: RecordID, _ processes: [ProcessIdentity], exited: Set<ProcessIdentity> = [],
    endedAt end: (at: BootInstant, wall: Int64)?,
    _ evidence: UsageEvidence?
  ) async throws(StoreError) -> SessionEnding? {
    let own = context.own
    let ending = try await context.store.endSession(
      id, of: processes, at: context.wall(), end: end?.at, exited: exited
    ) { [context] session, effects in
      guard let end else { throw StoreError.unexpected("a session that has ended and is open") }
      var record = UsageRecord(
        recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
        // The wall clock may have been set back in the meantime, but a session never ends before it starts.
        sessionStart: session.startedAtWall,
        sessionEnd: max(session.startedAtWall, min(end.wall, HybridTimestamp.wallLimit - 1)), zone: session.zone,
        activeMilliseconds: session.activeMilliseconds(until: end.at), category: session.category,
        milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0,
        evidence: evidence ?? session.evidence, account: session.account, child: session.child,
        householdStart: session.householdStart)
      if let child = session.child, session.category != .neutral {
        let closed = session.closedAt.map { max(0, end.at - $0) } ?? 0
        record.earnedMilliPoints = try effects.takePoints(
          from: record, of: child, elapsed: max(0, end.at - session.startedAt), closed: closed,
          isSeen: session.activity != nil, at: context.time.now)
      }
      return record
    }
    guard case .ended(_, let changes) = ending else { return ending }
    if !changes.isEmpty { CrashPoint.itemAccepted.reached() }
    await directory.committed(changes)
    context.changes.notify()
    context.factNews.notify()
    context.useNews.notify()
    // Parents hear of what still runs.
    wake.notify()
    return ending
  }
}
