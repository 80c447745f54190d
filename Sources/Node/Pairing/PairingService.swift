import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// All pairings on this node: a `PairingRun` for each open code and for a join, and the results of
/// the last ones.
///
/// Spec: Protocol/03-pairing.md.
actor PairingService {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let port: UInt16
  /// Returns the IPv4 address for a code, if there is one.
  let codeAddress: @Sendable () -> [UInt8]?
  var runs: [String: PairingRun] = [:]
  /// The discriminators of codes that are being stored and are not open yet.
  var reserved: Set<UInt16> = []
  /// The final progress of recent pairings, latest last, for callers that still wait for one.
  private var ended: [PairingProgress] = []
  private let throttle = Mutex(PairingThrottle())
  private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation
  private let work: AsyncStream<@Sendable () async -> Void>
  private let wake = ChangeSignal()

  private static let endedPairings = 64
  /// The delay before a rollback that the store refused is tried again, in milliseconds.
  private static let retryMilliseconds: Int64 = 1_000

  init(
    context: NodeContext, directory: LinkDirectory, discovery: DiscoveryService, port: UInt16,
    codeAddress: @escaping @Sendable () -> [UInt8]?
  ) {
    (self.context, self.directory, self.discovery, self.port) = (context, directory, discovery, port)
    self.codeAddress = codeAddress
    (work, jobs) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
  }

  /// Restores the codes that were open when the node last stopped, watches deadlines, and runs
  /// joins.
  func run() async {
    do { try await restore() } catch { context.warn("pairing", error.description) }
    await withDiscardingTaskGroup { group in
      group.addTask { for await job in self.work { await job() } }
      group.addTask { await self.watchDeadlines() }
      group.addTask { for await device in self.directory.completed { await self.completedBySession(device) } }
    }
  }

  var openCodes: [UInt16] { runs.values.filter { $0.code == nil }.map(\.discriminator) }

  func progress(_ id: String) async throws(LocalAPIError) -> PairingProgress {
    if let run = runs[id] { return await run.progress }
    guard let progress = ended.last(where: { $0.pairingID == id }) else {
      throw LocalAPIError(.unknownPairing, phrase: "There is no such pairing: see `latchkey pair list`.")
    }
    return progress
  }

  func allOpen() async -> [PairingProgress] {
    var open: [PairingProgress] = []
    for run in runs.values { open.append(await run.progress) }
    return open.filter { $0.phase != .ended }.sorted { $0.pairingID < $1.pairingID }
  }

  func answer(_ id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    _ = try await progress(id)
    guard await runs[id]?.answer(answer) == true else {
      throw LocalAPIError(
        .tooLate, phrase: "The question is no longer open: see `latchkey pair list`, or start again with a new code.")
    }
    return try await progress(id)
  }

  func cancel(_ id: String) async throws(LocalAPIError) -> PairingProgress {
    await runs[id]?.take { $0.requestedEnd(.cancelled) }
    // A pairing that can no longer be cancelled ends within the time that the other machine has for
    // an answer.
    let deadline = context.now() + 2 * Limits.pairingStepMilliseconds
    let ended = try await context.changes.first(until: deadline) { () throws(LocalAPIError) -> PairingProgress? in
      let progress = try await progress(id)
      return progress.phase == .ended ? progress : nil
    }
    if let ended { return ended }
    return try await progress(id)
  }

  /// Records the end of a pairing, and discards the oldest record.
  func ended(_ progress: PairingProgress) async {
    ended.append(progress)
    if ended.count > Self.endedPairings { ended.removeFirst() }
    if let run = runs.removeValue(forKey: progress.pairingID), run.code == nil { await announce() }
  }

  func announce() async {
    await discovery.announce(discriminators: openCodes.sorted())
    watch()
  }

  func start(_ job: @escaping @Sendable () async -> Void) { jobs.yield(job) }

  /// Checks the deadlines again, since a pairing has become pending.
  nonisolated func watch() { wake.notify() }

  /// Returns the durable steps of a pairing, with a new record of its times.
  nonisolated func ledger() -> PairingLedger {
    PairingLedger(context: context, directory: directory, discovery: discovery, steps: PairingSteps(context.logger))
  }

  /// Reads or changes the delays of attempts.
  ///
  /// Spec: Protocol/03-pairing.md §7.
  @discardableResult
  nonisolated func withThrottle<Value: Sendable>(_ body: (inout PairingThrottle, BootInstant) -> Value) -> Value {
    let now = context.now()
    return throttle.withLock { body(&$0, now) }
  }

  /// Continues after a session with a pending pairing's key has completed it.
  private func completedBySession(_ device: DeviceID) async {
    let ledger = ledger()
    await ledger.welcome(device)
    let registered = await ledger.record(device)?.device
    for run in runs.values { await run.take { $0.completed(device, as: registered) } }
  }

  private func watchDeadlines() async {
    await wake.follow {
      let now = context.now()
      for run in runs.values { await run.take { $0.timerFired(now) } }
      var wait = await rollBack()
      for run in runs.values {
        if let deadline = await run.deadline { wait = min(wait ?? .max, deadline - context.now()) }
      }
      return wait.map { max(20, $0) }
    }
  }

  /// Ends pairings that have been pending for too long, or since another boot, and returns the
  /// milliseconds until the next one is due; `nil` if none is pending.
  ///
  /// Spec: Protocol/03-pairing.md §5.
  private func rollBack() async -> Int64? {
    let (ledger, now) = (ledger(), context.now())
    var wait: Int64?
    for record in (try? await context.store.peers()) ?? [] where record.pendingKey != nil {
      let device = record.device.deviceID
      let fate = PairingFate(
        role: context.profile.role, hasLapsed: record.hasLapsed, since: record.pendingSince ?? now,
        isThisBoot: record.pendingBootID == context.bootID, now: now)
      let next: Int64?
      switch fate {
      case .wait(let rest):
        wait = min(wait ?? .max, rest)
        continue
      case .discard:
        context.logger.warning("an incomplete pairing was rolled back", metadata: ["name": "\(record.device.name)"])
        next = await ledger.discard(device) ? nil : Self.retryMilliseconds
      case .lapse:
        context.logger.warning("a pairing was not confirmed in time", metadata: ["name": "\(record.device.name)"])
        next = await ledger.lapse(device) ? Limits.pairingDoubtMilliseconds : Self.retryMilliseconds
      }
      if let next { wait = min(wait ?? .max, next) }
      for run in runs.values { await run.take { $0.rolledBack(device) } }
    }
    return wait
  }
}
