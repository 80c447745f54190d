import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyStore
import Logging

/// Sessions of programs on this machine: begun for programs that run, kept alive while they do, and ended with them.
///
/// Nothing of a session's times is a caller's word: it begins when the node is told of the program, and ends when the kernel
/// says that the last program of it has ended. Spec: Protocol/06-messages.md §5.
actor UsageService {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let wake: ChangeSignal
  private let watch: ProcessWatch
  /// Milliseconds between two looks at what is running.
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
        context.logger.error("sessions could not be looked at", metadata: ["reason": "\(error)"])
        // They may run or have ended: the next look tells.
        hasOpen = true
      }
      // Nothing runs, nothing is looked at.
      await wake.wait(after: seen, milliseconds: hasOpen ? Self.heartbeat : nil)
    }
  }

  /// Begins a session for a program, or adds the program to the open session of its application.
  ///
  /// - Parameter user: the user ID of the caller, as the kernel says.
  func start(_ request: UsageStartRequest, by user: UInt32) async throws(LocalAPIError) -> UsageStarted {
    guard let appID = AppID(request.appID) else {
      throw LocalAPIError(
        .invalid, "“\(DeviceName(sanitising: request.appID))” is no application ID: use letters, digits, dots.")
    }
    let name = request.displayName ?? request.appID
    guard (1...255).contains(name.utf8.count), (1...64).contains(request.zone.utf8.count) else {
      throw LocalAPIError(.invalid, "The name must have 1 to 255 bytes and the zone 1 to 64.")
    }
    let (now, wall) = (context.now(), self.wall)
    let check = UsageStartCheck(
      request: request, user: user, process: RunningProcess(pid: request.processID), now: now, wall: wall)
    if let fault = check.fault { throw fault }
    let process = ProcessIdentity(processID: request.processID, startTime: request.processStartTime)
    // Watched before the session is durable: the program may end meanwhile.
    _ = watch.state(of: process)
    let opening: SessionOpening
    var configuration: AppConfiguration?
    do {
      // What has ended must not go on with this program.
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

  /// Looks at the programs of a session now, and returns its record if all of them have ended.
  func end(_ id: RecordID) async throws(LocalAPIError) -> UsageRecord {
    do {
      let open = try await context.store.openSessions().first { $0.recordID == id }
      let found = if let open { try await settle(open) } else { try await finish(id, [], endedAt: nil) }
      guard let ending = found else {
        throw LocalAPIError(
          .unknownSession, "There is no such session on this machine: start it with `latchkey usage track`.")
      }
      guard case .ended(let record, _) = ending else {
        throw LocalAPIError(
          .stillRunning, "The session goes on, since a program of it still runs: it ends by itself with the program.")
      }
      return record
    } catch let error as LocalAPIError { throw error } catch let error as StoreError {
      throw LocalAPIError(error)
    } catch {
      throw LocalAPIError(.internal, "\(error)")
    }
  }

  /// Unix milliseconds that a record can hold, wherever the clock stands.
  private var wall: Int64 { min(max(context.wall(), 0), HybridTimestamp.wallLimit - 1) }

  /// Ends what does not run any more and notes that the rest does; returns whether anything is open.
  private func look() async throws(StoreError) -> Bool {
    let (now, wall) = (context.now(), self.wall)
    var alive: [RecordID] = []
    for session in try await context.store.openSessions() {
      if case .open = try await settle(session) { alive.append(session.recordID) }
    }
    if !alive.isEmpty { try await context.store.heartbeat(alive, now: now, at: wall) }
    return !alive.isEmpty
  }

  /// Takes the programs that have ended out of a session, and ends it with the last one.
  @discardableResult
  private func settle(_ session: OpenUsageSession) async throws(StoreError) -> SessionEnding? {
    var ended: [ProcessIdentity] = []
    // What nobody saw end has ended when it was last seen.
    var end = (at: session.lastSeenAt, wall: session.lastSeenAtWall)
    for process in session.processes {
      switch session.bootID == context.bootID ? watch.state(of: process) : .gone {
      case .running: continue
      case .gone: break
      case .ended(let at, let wall): if at > end.at { end = (at, wall) }
      }
      ended.append(process)
    }
    if ended.isEmpty, !session.processes.isEmpty { return .open }
    // No program was used longer than until now.
    if session.bootID == context.bootID { end.at = min(end.at, context.now()) }
    let ending = try await finish(session.recordID, ended, endedAt: end)
    for process in ended { watch.forget(process) }
    return ending
  }

  /// Takes programs out of a session, and ends it if they were the last.
  ///
  /// - Parameter end: `nil` for a session that is thought to have ended.
  private func finish(
    _ id: RecordID, _ processes: [ProcessIdentity], endedAt end: (at: BootInstant, wall: Int64)?
  ) async throws(StoreError) -> SessionEnding? {
    let own = context.own
    let ending = try await context.store.endSession(id, of: processes, at: context.wall()) {
      session, settings, remainders in
      guard let end else { throw StoreError.unexpected("a session that has ended and is open") }
      var record = UsageRecord(
        recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
        // The wall clock may have been set back meanwhile: a session never ends before it starts.
        sessionStart: session.startedAtWall,
        sessionEnd: max(session.startedAtWall, min(end.wall, HybridTimestamp.wallLimit - 1)), zone: session.zone,
        activeMilliseconds: max(0, end.at - session.startedAt), category: session.category,
        milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0, evidence: session.evidence)
      record.earnedMilliPoints = try Self.earned(record, settings, remainders)
      return record
    }
    guard case .ended(_, let changes) = ending else { return ending }
    if !changes.isEmpty { CrashPoint.itemAccepted.reached() }
    await directory.committed(changes)
    context.changes.notify()
    return ending
  }

  /// What a session earned, with what earlier ones of its days left over; the days are the family's, else the session's own.
  private static func earned(
    _ record: UsageRecord, _ settings: FamilySettings?, _ remainders: RemainderTable
  ) throws -> Int64 {
    let boundary =
      (try? DayBoundary(zone: settings?.zone ?? record.zone, dayStartHour: settings?.dayStartHour ?? 0))
      ?? (try? DayBoundary(zone: "UTC", dayStartHour: 0))
    guard let boundary else { throw StoreError.unexpected("the zone UTC") }
    let slice = UsageSlice(record)
    var carries: [FamilyDay: PointsRemainder] = [:]
    for part in boundary.slices(of: slice) { carries[part.day] = try remainders.load(record.appID, part.day) }
    let earned = PointsArithmetic.earned(
      by: slice, minimumSessionMinutes: settings?.minimumSessionMinutes ?? 0, boundary: boundary, carries: &carries)
    for (day, remainder) in carries { try remainders.save(record.appID, day, remainder) }
    return earned
  }
}
