import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyStore
import Logging

/// Sessions of programs on this machine: begun, kept alive, and ended, also when whoever began them is gone.
actor UsageService {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let wake = ChangeSignal()
  private var gone: Set<RecordID> = []
  /// Milliseconds between two looks at what is running.
  private static let heartbeat: Int64 = 2_000

  init(context: NodeContext, directory: LinkDirectory) {
    self.context = context
    self.directory = directory
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

  func start(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted {
    guard let appID = AppID(request.appID) else {
      throw LocalAPIError(
        .invalid, "“\(DeviceName(sanitising: request.appID))” is no application ID: use letters, digits, dots.")
    }
    let name = request.displayName ?? request.appID
    let now = context.now()
    guard (0...now.milliseconds + 1_000).contains(request.startedAt.milliseconds),
      (0..<HybridTimestamp.wallLimit).contains(request.startedAtWall)
    else { throw LocalAPIError(.invalid, "The session starts at an impossible time: give this machine's own clocks.") }
    guard (1...255).contains(name.utf8.count), (1...64).contains(request.zone.utf8.count) else {
      throw LocalAPIError(.invalid, "The name must have 1 to 255 bytes and the zone 1 to 64.")
    }
    let (context, wall) = (context, context.wall())
    var found: AppConfiguration?
    do {
      let session = try await context.store.openSession(bootID: context.bootID) { sequence, salt, app, settings in
        let configuration = try app(appID)
        let hash = SHA256.hash(
          Array("latchkey usage record v1".utf8) + context.own.bytes + Array(context.bootID.utf8)
            + withUnsafeBytes(of: sequence.bigEndian) { Array($0) } + salt)
        guard let id = RecordID(bytes: hash.prefix(16)) else { throw StoreError.unexpected("a hash") }
        return OpenUsageSession(
          recordID: id, appID: appID, displayName: request.displayName ?? configuration?.displayName ?? appID.text,
          processID: request.processID, processStartTime: request.processStartTime, bootID: context.bootID,
          startedAt: request.startedAt, lastSeenAt: max(request.startedAt, context.now()),
          startedAtWall: request.startedAtWall, lastSeenAtWall: max(request.startedAtWall, wall), zone: request.zone,
          category: configuration?.category ?? .neutral,
          milliPointsPerMinute: configuration?.milliPointsPerMinute ?? settings?.defaultMilliPointsPerMinute ?? 0,
          evidence: .tracked)
      }
      found = try await context.store.app(appID, device: context.own)
      wake.notify()
      return UsageStarted(recordID: session.recordID, configuration: found, enforcement: context.enforcement)
    } catch { throw LocalAPIError(error) }
  }

  func end(_ id: RecordID, _ request: UsageEndRequest) async throws(LocalAPIError) -> UsageRecord {
    do {
      // Nobody used a program longer than until now.
      let ended = min(max(request.endedAt, BootInstant(milliseconds: 0)), context.now())
      let wall = min(max(request.endedAtWall, 0), HybridTimestamp.wallLimit - 1)
      guard let record = try await finish(id, endedAt: ended, wall: wall) else {
        throw LocalAPIError(
          .unknownSession, "There is no such session on this machine: start it with `latchkey usage track`.")
      }
      return record
    } catch let error as LocalAPIError { throw error } catch let error as StoreError {
      throw LocalAPIError(error)
    } catch {
      throw LocalAPIError(.internal, "\(error)")
    }
  }

  /// Keep what runs alive, and end what does not run any more at its last heartbeat.
  private func look() async throws(StoreError) -> Bool {
    let sessions = try await context.store.openSessions()
    var alive: [RecordID] = []
    for session in sessions {
      let runs =
        session.bootID == context.bootID
        && ProcessLiveness.isAlive(pid: session.processID, startTime: session.processStartTime)
      if runs {
        alive.append(session.recordID)
        gone.remove(session.recordID)
      } else if session.bootID == context.bootID, gone.insert(session.recordID).inserted {
        // Whoever started it has one more heartbeat's time to say exactly when it ended.
        continue
      } else {
        gone.remove(session.recordID)
        _ = try await finish(session.recordID, endedAt: session.lastSeenAt, wall: session.lastSeenAtWall)
      }
    }
    if !alive.isEmpty { try await context.store.heartbeat(alive, now: context.now(), at: context.wall()) }
    return !sessions.isEmpty
  }

  private func finish(_ id: RecordID, endedAt: BootInstant, wall: Int64) async throws(StoreError) -> UsageRecord? {
    let own = context.own
    let ended = try await context.store.endSession(id, at: context.wall()) { session, settings, remainders in
      var record = UsageRecord(
        recordID: session.recordID, device: own, appID: session.appID, displayName: session.displayName,
        // The wall clock may have been set back meanwhile: a session never ends before it starts.
        sessionStart: session.startedAtWall, sessionEnd: max(session.startedAtWall, wall), zone: session.zone,
        activeMilliseconds: max(0, endedAt - session.startedAt), category: session.category,
        milliPointsPerMinute: session.milliPointsPerMinute, earnedMilliPoints: 0, evidence: session.evidence)
      record.earnedMilliPoints = try Self.earned(record, settings, remainders)
      return record
    }
    guard let ended else { return nil }
    CrashPoint.itemAccepted.reached()
    await directory.committed(ended.changes)
    context.changes.notify()
    return ended.record
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
