import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeySystem

/// Sessions that callers begin and end, and what a session records at its start.
///
/// Spec: Protocol/06-messages.md §5.
extension UsageService {
  /// Milliseconds for which a caller waits for an agent to connect.
  private static let agentPatience: Int64 = 3_000
  /// Milliseconds between two looks whether the disk takes a record that is waited for.
  private static let diskPause: Int64 = 500

  /// Waits until an agent is connected, and makes sure that it watches the programs of an account.
  private func requireAgent(for account: UInt32) async throws(LocalAPIError) {
    let (state, end) = (context.enforcementState, context.now() + Self.agentPatience)
    let watched: Void? = try await state.changes.first(until: end) { () throws(LocalAPIError) -> Void? in
      if let agent = state.agent {
        if agent.watches(account) { return () }
        throw LocalAPIError(
          .noAgent,
          agent.isSystem
            ? "The agent watches no programs of root: run `latchkey usage track` as another user."
            : "The agent watches the programs of Latchkey's own account alone: run `latchkey usage track` there.")
      }
      guard context.configuration.agent != .none else {
        throw LocalAPIError(
          .noAgent, "No agent watches programs on this machine: start `latchkey run` without --no-agent.")
      }
      return nil
    }
    guard watched != nil else {
      throw LocalAPIError(
        .noAgent, "No agent watches programs on this machine: `latchkey status` says why, and what to do.")
    }
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
      throw LocalAPIError(.invalid, "“\(appID)” stands for many programs together: give the program an ID of its own.")
    }
    let name = request.displayName ?? request.appID
    if let fault = TextRule.displayName.fault(in: name) ?? TextRule.zone.fault(in: request.zone) {
      throw LocalAPIError(.invalid, fault)
    }
    try await requireAgent(for: user)
    let (now, wall) = (context.now(), self.wall)
    let program = RunningProcess(pid: request.processID)
    let check = UsageStartCheck(request: request, user: user, process: program, now: now, wall: wall)
    if let fault = check.fault { throw fault }
    let process = ProcessIdentity(processID: request.processID, startTime: request.processStartTime)
    let asOf = program.flatMap { $0.hasEnded ? $0.startedAt : nil } ?? now
    let opening: SessionOpening
    let isBlocked: Bool
    do {
      let household = try await context.readHousehold()
      let person = household.user(of: user, on: context.own)
      let householdStart = context.time.now
      let terms = UseTerms(appID, person, household)
      let installed = try await installedName(of: appID)
      let new = try session(
        of: appID, terms, name: request.displayName ?? terms.name ?? installed, [process], from: now, to: now, wall,
        zone: request.zone, .tracked, account: user, householdStart: householdStart)
      opening = try await context.store.open(new, of: process, asOf: asOf)
      try await context.sessions.read(from: context.store)
      let children = person.children.isEmpty ? [nil] : person.children.map { Optional($0) }
      isBlocked = children.contains { household.rules(for: $0).app(appID).isBlocked }
    } catch { throw LocalAPIError(error) }
    switch opening {
    case .open(let session):
      await noteClosed(session)
      wake.notify()
      // The agent is ordered to watch it.
      context.changes.notify()
      context.factNews.notify()
      return UsageStarted(recordID: session.recordID, isBlocked: isBlocked, enforcement: context.enforcement)
    case .otherApplication(let other):
      throw LocalAPIError(
        .invalid, "This program is already recorded as “\(other)”: start another one to record “\(appID)”.")
    case .ended:
      throw LocalAPIError(.tooLate, "This program has ended, and its use is recorded: start it again to record more.")
    case .full:
      throw LocalAPIError(
        .limit, "\(Limits.trackedPrograms) programs are recorded already: close some of them and try again.")
    }
  }

  /// Returns a session that begins at an instant and was last seen at another one, when the wall
  /// clock showed `wall`; without a name, it has its application's ID.
  func session(
    of app: AppID, _ terms: UseTerms, name: String?, _ processes: [ProcessIdentity], from start: BootInstant,
    to end: BootInstant, _ wall: Int64, zone: String, _ evidence: UsageEvidence, account: UInt32,
    householdStart: Int64
  ) throws(StoreError) -> OpenUsageSession {
    guard let id = RecordID(bytes: SecureRandom.bytes(16)) else { throw StoreError.unexpected("an ID") }
    var session = OpenUsageSession(
      UsageRecord(
        recordID: id, device: context.own, appID: app, displayName: name ?? app.text,
        sessionStart: wall - (end - start), sessionEnd: wall, zone: zone, activeMilliseconds: 0,
        category: terms.category, milliPointsPerMinute: terms.milliPointsPerMinute, earnedMilliPoints: 0,
        evidence: evidence, account: account, child: terms.child, householdStart: householdStart),
      processes: processes, bootID: context.bootID, startedAt: start, lastSeenAt: end)
    session.sharers = terms.sharers
    return session
  }

  /// Records that learning begins although a rule has closed its program.
  private func noteClosed(_ session: OpenUsageSession) async {
    guard session.category == .learning, session.closedAt == nil, let child = session.child else { return }
    // Without an answer, the next look at the rules notes it.
    guard let household = try? await context.readHousehold(),
      let standing = try? await context.standing(of: child, household),
      standing.shown(session.appID).verdict.isAllowed == false
    else { return }
    try? await note(closed: [session.recordID], reopened: [], at: session.startedAt)
  }

  /// Returns the record of a session whose programs have ended, once the agent has reported it.
  ///
  /// If the programs go on in another session, it is that one's record.
  func end(_ id: RecordID) async throws(LocalAPIError) -> UsageRecord {
    let end = context.now() + Self.patience
    let ended: Void? = try await context.sessions.changes.first(until: end, pace: Self.diskPause) {
      () throws(LocalAPIError) -> Void? in
      guard let open = context.sessions[context.sessions.latest(of: id)] else { return () }
      if open.processes.contains(where: { ProcessLiveness.isAlive(pid: $0.processID, startTime: $0.startTime) }) {
        throw LocalAPIError(
          .stillRunning, "The session continues, since one of its programs is still running: it ends with that program."
        )
      }
      if let fault = context.store.diskFault { throw LocalAPIError(fault) }
      return nil
    }
    guard ended != nil else {
      throw LocalAPIError(
        .timeout, "The agent has not reported the program's end yet: ask again, or leave it to end by itself.")
    }
    do {
      if case .ended(let record, _) = try await finish(context.sessions.latest(of: id), [], endedAt: nil, nil) {
        return record
      }
    } catch { throw LocalAPIError(error) }
    throw LocalAPIError(
      .unknownSession, "There is no such session on this machine: start it with `latchkey usage track`.")
  }
}

/// The comparison of a caller's statement about a program with the kernel's.
struct UsageStartCheck {
  let request: UsageStartRequest
  let user: UInt32
  /// The process with the number that the caller gave.
  let process: RunningProcess?
  let now: BootInstant
  /// Unix milliseconds.
  let wall: Int64

  /// A tick of the kernel's start times in milliseconds, by which a caller may have rounded up.
  private static let tick: Int64 = 10
  /// Milliseconds between two wall clock readings that may be the same: the clock may be set.
  private static let wallTolerance: Int64 = 60_000

  var fault: LocalAPIError? {
    // Process 1 starts the machine or the container, and is never a program that a person uses.
    guard let process, process.identity.processID > 1, process.identity.startTime == request.processStartTime else {
      return LocalAPIError(
        .invalid,
        "No program with this process number and start time runs: start the program with `latchkey usage track`.")
    }
    guard process.userID == user else {
      return LocalAPIError(
        .forbidden, "The program belongs to another user: run `latchkey usage track` as the user who uses it.")
    }
    guard request.startedAt.milliseconds <= now.milliseconds + Self.tick else {
      return LocalAPIError(.invalid, "The session starts in the future: give the present reading of CLOCK_BOOTTIME.")
    }
    guard request.startedAt >= process.startedAt else {
      return LocalAPIError(
        .invalid, "The session starts before its program did: give a reading of CLOCK_BOOTTIME from after its start.")
    }
    let expected = wall - (now - request.startedAt)
    guard (expected - Self.wallTolerance...expected + Self.wallTolerance).contains(request.startedAtWall) else {
      return LocalAPIError(
        .invalid, "The session starts at an impossible time: give the time by this machine's own clock.")
    }
    return nil
  }
}

/// What a session records at its start: for whom it counts, and its application's rules.
struct UseTerms: Hashable, Sendable {
  /// The name for people; `nil` if no parent has set one.
  var name: String?
  var category: AppCategory
  var milliPointsPerMinute: Int64
  /// The child who uses it; `nil` for none and for several.
  var child: ChildID?
  /// The children for whom it counts while several share the account and none is named.
  var sharers: [SessionSharer] = []
}

extension UseTerms {
  /// Creates the terms of an application by who uses it.
  ///
  /// For several children it earns nothing and costs nothing: it is a reward if it is one for any
  /// of them, and neutral otherwise.
  init(_ app: AppID, _ user: AccountUser, _ household: Household) {
    guard case .together(let children) = user else {
      self.init(app, household.rules(for: user.onlyChild))
      child = user.onlyChild
      return
    }
    let each = children.map { (child: $0, terms: UseTerms(app, household.rules(for: $0))) }
    self.init(
      name: each.lazy.compactMap(\.terms.name).first,
      category: each.contains { $0.terms.category == .reward } ? .reward : .neutral, milliPointsPerMinute: 0,
      sharers: each.map { SessionSharer(child: $0.child, category: $0.terms.category) })
  }

  /// Has learning that may be forged count as neutral.
  mutating func earnNothing() { if category == .learning { (category, milliPointsPerMinute) = (.neutral, 0) } }

  /// Creates the terms by a child's rules; an application without rules is neutral, with rate 0.
  init(_ app: AppID, _ rules: RuleSet) {
    let known = rules.app(app)
    let use = known.use ?? AppUse(category: .neutral)
    self.init(
      name: known.name, category: use.category,
      milliPointsPerMinute: use.category == .neutral ? use.milliPointsPerMinute ?? 0 : rules.perMinute(use))
  }
}
