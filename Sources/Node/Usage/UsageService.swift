import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import Logging

/// A service for usage sessions of programs on this machine, which it begins, keeps open while the programs run, and
/// ends with them.
///
/// A session's times never depend on a caller: it begins when the node is told of the program, and ends when the kernel
/// reports the end of its last program.
///
/// Spec: Protocol/06-messages.md §5.
actor UsageService {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let wake: ChangeSignal
  private let watch: ProcessWatch
  /// The time between two checks of the running programs, in milliseconds.
  private static let heartbeat: Int64 = 2_000

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
      let hasOpen: Bool
      do { hasOpen = try await look() } catch {
        context.logger.error("the usage sessions could not be checked", metadata: ["reason": "\(error)"])
        // The sessions may be running or have ended. The next check decides.
        hasOpen = true
      }
      // Without open sessions, no checks are needed.
      await wake.wait(after: seen, milliseconds: hasOpen ? Self.heartbeat : nil)
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
    _ = watch.state(of: process)
    let opening: SessionOpening
    var configuration: AppConfiguration?
    do {
      // A session that has ended must not continue with this program.
      for session in try await context.store.openSessions() where session.appID == appID { try await settle(session) }
      let id = SecureRandom.bytes(16)
      opening = try await context.store.openSession(of: appID, process, bootID: context.bootID) {
        [context] configuration, settings in
        guard let id = RecordID(bytes: id) else { throw StoreError.unexpected("an ID") }
        return OpenUsageSession(
          recordID: id, appID: appID, displayName: request.displayName ?? configuration?.displayName ?? appID.text,
          processes: [process], bootID: context.bootID, startedAt: now, lastSeenAt: now, startedAtWall: wall,
          lastSeenAtWall: wall, zone: request.zone, category: configuration?.category ?? .neutral,
          milliPointsPerMinute: configuration?.milliPointsPerMinute ?? settings?.defaultMilliPointsPerMinute ?? 0,
          evidence: .tracked)
      }
      configuration = try await context.store.app(appID, device: context.own)
    } catch {
      watch.forget(process)
      throw LocalAPIError(error)
    }
    switch opening {
    case .open(let session):
      wake.notify()
      context.factNews.notify()
      return UsageStarted(
        recordID: session.recordID, configuration: configuration, enforcement: context.enforcement)
    case .otherApplication(let other):
      throw LocalAPIError(
        .invalid, "This program is already recorded as “\(other)”: start another one to record “\(appID)”.")
    case .full:
      watch.forget(process)
      throw LocalAPIError(
        .limit, "\(Limits.recordedPrograms) programs are recorded already: close some of them and try again.")
    }
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
  private var wall: Int64 { min(max(context.wall(), 0), HybridTimestamp.wallLimit - 1) }

  /// Ends sessions whose programs have ended, and records that the others continue.
  ///
  /// Returns whether any session is open.
  private func look() async throws(StoreError) -> Bool {
    let (now, wall) = (context.now(), self.wall)
    var alive: [RecordID] = []
    for session in try await context.store.openSessions() {
      if case .open = try await settle(session) { alive.append(session.recordID) }
    }
    if !alive.isEmpty { try await context.store.heartbeat(alive, now: now, at: wall) }
    return !alive.isEmpty
  }

  /// Removes ended programs from a session, and ends the session with the last one.
  @discardableResult
  private func settle(_ session: OpenUsageSession) async throws(StoreError) -> SessionEnding? {
    var ended: [ProcessIdentity] = []
    // A program whose end was not observed is taken to have ended when it was last seen.
    var end = (at: session.lastSeenAt, wall: session.lastSeenAtWall)
    var evidence = session.evidence
    for process in session.processes {
      switch session.bootID == context.bootID ? watch.state(of: process) : .gone {
      case .running: continue
      case .gone: evidence = .interrupted
      case .ended(let at, let wall): if at > end.at { end = (at, wall) }
      }
      ended.append(process)
    }
    if ended.isEmpty, !session.processes.isEmpty { return .open }
    // A program cannot have been used later than now.
    if session.bootID == context.bootID { end.at = min(end.at, context.now()) }
    let ending = try await finish(session.recordID, ended, endedAt: end, evidence)
    for process in ended { watch.forget(process) }
    return ending
  }

  /// Removes programs from a session, and ends the session if they were the last.
  ///
  /// - Parameters:
  ///   - id: The ID of the session.
  ///   - processes: The programs that have ended.
  ///   - end: The time of their end; `nil` for a session that is expected to have ended.
  ///   - evidence: How the session was observed; `nil` for the session's own value.
  /// - Returns: The end of the session; `nil` if it continues.
  /// - Throws: `StoreError` if the end cannot be stored.
  private func finish(
    _ id: RecordID, _ processes: [ProcessIdentity], endedAt end: (at: BootInstant, wall: Int64)?,
    _ evidence: UsageEvidence?
  ) async throws(StoreError) -> SessionEnding? {
    let own = context.own
    let ending = try await context.store.endSession(id, of: processes, at: context.wall()) {
      [context] session, effects in
      guard let end else { throw StoreError.unexpected("a session that has ended and is open") }
      var record = UsageRecord(
        recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
        // The wall clock may have been set back in the meantime, but a session never ends before it starts.
        sessionStart: session.startedAtWall,
        sessionEnd: max(session.startedAtWall, min(end.wall, HybridTimestamp.wallLimit - 1)), zone: session.zone,
        activeMilliseconds: max(0, end.at - session.startedAt), category: session.category,
        milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0,
        evidence: evidence ?? session.evidence)
      let served = HouseholdKey.children(servedIn: try effects.registers(in: .machine(own)))
      if let child = served.first, served.count == 1 {
        record.earnedMilliPoints = try effects.takePoints(from: record, of: child, at: context.wall())
      }
      return record
    }
    guard case .ended(_, let changes) = ending else { return ending }
    if !changes.isEmpty { CrashPoint.itemAccepted.reached() }
    await directory.committed(changes)
    context.changes.notify()
    context.factNews.notify()
    return ending
  }
}
