import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// Every pairing in progress on this node, as inviter or joiner. Spec: Protocol/03-pairing.md.
actor PairingService {
  struct Pairing {
    var progress: PairingProgress
    /// As inviter: the open code in both forms.
    var code: PairingCode?
    var typedCode: TypedCode?
    var record: InvitationRecord?
    var deadline: BootInstant?
    /// As joiner: which code was entered.
    var discriminator: UInt16?
    /// As joiner: how the address that is tried was learnt.
    var source = AddressSource.connection
    /// The attempt under way, as either side.
    var inviter: PairingInviterMachine?
    var joiner: PairingJoinerMachine?
    var connection: FrameConnection?
    /// The device that is half paired.
    var pending: PairedPeer?
    var wasCancelled = false
    /// The person here broke it off, however far it had got.
    var wasLeftHere = false
    /// As joiner: the last word is missing, and a session with the inviter may still bring it.
    var isInDoubt = false
    /// The person broke off when it was too late for that: undo it as soon as it is done.
    var undoes = false
    /// Whether the other device was paired when this began; then breaking off leaves it so.
    var wasPaired = false
    /// Grows from each pairing that ends to the next; nil before the end.
    var ending: Int?
    /// The other device is active here, durably: what is left is only for this machine.
    var isFinal = false
  }

  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let port: UInt16
  /// The IPv4 address that a code tells, if there is one.
  let codeAddress: @Sendable () -> [UInt8]?
  var pairings: [String: Pairing] = [:]
  /// Whether the join under way has met the machine that showed the code.
  var hasMet = false
  var throttle = PairingThrottle()
  /// Pairings that have ended in this run.
  private var endings = 0
  var steps: PairingSteps
  let jobs: AsyncStream<@Sendable () async -> Void>.Continuation
  private let work: AsyncStream<@Sendable () async -> Void>
  private let wake = ChangeSignal()

  init(
    context: NodeContext, directory: LinkDirectory, discovery: DiscoveryService, port: UInt16,
    codeAddress: @escaping @Sendable () -> [UInt8]?
  ) {
    self.context = context
    self.directory = directory
    self.discovery = discovery
    self.port = port
    self.codeAddress = codeAddress
    steps = PairingSteps(context.logger)
    (work, jobs) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
  }

  /// Take up the codes that were open when the node last stopped, watch deadlines, and run joins.
  func run() async {
    do { try await restore() } catch { context.warn("pairing", error.description) }
    await withDiscardingTaskGroup { group in
      group.addTask { for await job in self.work { await job() } }
      group.addTask { await self.watchDeadlines() }
      group.addTask { for await device in self.directory.completed { await self.completedBySession(device) } }
    }
  }

  func progress(_ id: String) throws(LocalAPIError) -> PairingProgress {
    guard var progress = pairings[id]?.progress else {
      throw LocalAPIError(.unknownPairing, "There is no such pairing: see `latchkey pair list`.")
    }
    if let deadline = pairings[id]?.deadline, progress.phase != .ended {
      progress.expiresInMilliseconds = max(0, deadline - context.now())
    }
    return progress
  }

  func allOpen() -> [PairingProgress] {
    pairings.keys.sorted().compactMap { try? progress($0) }.filter { $0.phase != .ended }
  }

  func answer(_ id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    let present = try progress(id)
    guard present.phase == .asking, present.attempt == answer.attempt else {
      throw LocalAPIError(
        .tooLate, "Nothing is being asked any more: see `latchkey pair list`, or start again with a new code.")
    }
    if answer.accept {
      let effects = accept(id)
      await perform(id, effects)
    } else {
      await end(id, .refused)
    }
    return try progress(id)
  }

  func cancel(_ id: String) async throws(LocalAPIError) -> PairingProgress {
    guard try progress(id).phase != .ended else { return try progress(id) }
    pairings[id]?.wasLeftHere = true
    await end(id, .cancelled)
    // What is past return ends within the time that the other machine has for an answer.
    let deadline = context.now() + 2 * Limits.pairingStepMilliseconds
    while try progress(id).phase != .ended, context.now() < deadline, !Task.isCancelled {
      let seen = context.changes.version
      guard try progress(id).phase != .ended else { break }
      await context.changes.wait(after: seen, milliseconds: deadline - context.now())
    }
    return try progress(id)
  }

  private func accept(_ id: String) -> [PairingEffect] {
    let effects = pairings[id]?.inviter?.requestedAccept() ?? pairings[id]?.joiner?.requestedAccept() ?? []
    if pairings[id]?.progress.phase == .asking { change(id) { $0.phase = .committing } }
    return effects
  }

  /// End a pairing from this side: the other one is told if it is there.
  func end(_ id: String, _ outcome: PairingOutcome) async {
    if await isPastReturn(id) {
      // The other side may have made it final: it is gone through with, and undone if that is what a person asked for.
      if outcome == .cancelled { await undo(id) }
      return
    }
    pairings[id]?.wasCancelled = true
    if pairings[id]?.inviter != nil {
      let effects = pairings[id]?.inviter?.requestedEnd(outcome) ?? []
      await perform(id, effects)
    } else if pairings[id]?.joiner != nil {
      let effects = pairings[id]?.joiner?.requestedEnd(outcome) ?? []
      await perform(id, effects)
    }
    await close(id, outcome)
  }

  /// One attempt is over: the code stays open after what was not a success.
  func attemptEnded(_ id: String, _ outcome: PairingOutcome) async {
    pairings[id]?.connection?.close()
    pairings[id]?.connection = nil
    let isInviter = isInviter(id)
    pairings[id]?.inviter = nil
    if !isInviter || outcome == .ok || outcome == .refused || pairings[id]?.wasCancelled == true {
      await close(id, outcome)
    } else if pairings[id]?.progress.phase != .ended {
      change(id) { progress in
        progress.phase = .waiting
        progress.peerName = nil
        progress.peerRole = nil
        progress.digits = nil
        progress.sentence = Self.goneSentence(outcome)
      }
    }
  }

  /// The pairing is over for good.
  func close(_ id: String, _ outcome: PairingOutcome) async {
    guard let pairing = pairings[id], pairing.progress.phase != .ended else { return }
    if outcome == .ok, pairing.undoes, !pairing.wasPaired { return await undoFinished(id) }
    change(id) { progress in
      progress.phase = .ended
      progress.outcome = outcome
      progress.sentence = Self.sentence(outcome, isInviter: pairing.record != nil, wasLeftHere: pairing.wasLeftHere)
      progress.digits = nil
    }
    steps.end(.ended, steps.begin())
    pairings[id]?.code = nil
    pairings[id]?.typedCode = nil
    pairings[id]?.isInDoubt = false
    pairings[id]?.deadline = nil
    endings += 1
    pairings[id]?.ending = endings
    if pairing.record != nil {
      if outcome != .ok {
        await tryStore(id) { () async throws(StoreError) in try await self.context.store.close(id, outcome) }
      }
      await announce()
    }
    forgetOld()
    steps.tell()
  }

  func change(_ id: String, _ body: (inout PairingProgress) -> Void) {
    guard pairings[id] != nil else { return }
    body(&pairings[id]!.progress)
    pairings[id]?.progress.change += 1
    context.changes.notify()
  }

  /// Announce the open codes' discriminators.
  func announce() async {
    await discovery.announce(discriminators: pairings.values.compactMap { $0.code?.discriminator }.sorted())
    wake.notify()
  }

  func isInviter(_ id: String) -> Bool { pairings[id]?.record != nil }

  func refresh(_ device: DeviceID) async {
    do { try await directory.refresh(device) } catch {
      context.logger.error("a paired device could not be read", metadata: ["reason": "\(error)"])
    }
  }

  @discardableResult
  func tryStore(_ id: String, _ body: () async throws(StoreError) -> Void) async -> Bool {
    let began = steps.begin()
    defer { steps.end(.commit, began) }
    do {
      try await body()
      return true
    } catch {
      context.logger.error("the database refused", metadata: ["reason": "\(error)"])
      return false
    }
  }

  /// What is over stays for a while, so that whoever waits for it hears of it: the longest over goes first.
  private func forgetOld() {
    for (id, pairing) in pairings {
      if let ending = pairing.ending, ending <= endings - Self.endedPairings { pairings[id] = nil }
    }
  }

  /// Pairings remembered at most after their end.
  private static let endedPairings = 64

  private func watchDeadlines() async {
    while !Task.isCancelled {
      let seen = wake.version
      let now = context.now()
      for (id, pairing) in pairings {
        if let deadline = pairing.deadline, deadline <= now { await end(id, .expired) }
      }
      await rollBackPending()
      let next = pairings.values.compactMap(\.deadline).min()
      let pendingWait = await nextRollBack()
      let wait = [next.map { $0 - context.now() }, pendingWait].compactMap { $0 }.min()
      await wake.wait(after: seen, milliseconds: wait.map { max(20, $0) })
    }
  }

  /// A pairing has become pending: look at deadlines anew.
  func watch() {
    wake.notify()
  }

  /// Why the machine that a person was asked about is gone, while the code is good for another try.
  static func goneSentence(_ outcome: PairingOutcome) -> String {
    switch outcome {
    case .cancelled: "Somebody broke it off at the other machine, and the code is still open: enter it there again."
    case .network: "That machine is gone again, and the code is still open."
    default: outcome.sentence
    }
  }

  static func sentence(_ outcome: PairingOutcome, isInviter: Bool, wasLeftHere: Bool) -> String {
    if outcome == .cancelled, !isInviter {
      return wasLeftHere
        ? "You cancelled the pairing: nothing was changed; run `latchkey pair` again when both are ready."
        : "The pairing was cancelled at the other machine: nothing was changed; run `latchkey pair` again on both."
    }
    guard isInviter else { return outcome.sentence }
    switch outcome {
    case .expired: return "The code has run out: make a new one with `latchkey pair invite`."
    case .wrongCode:
      return
        "The code was closed after \(Limits.pairingFailures) wrong guesses: make a new one with `latchkey pair invite`."
    case .refused: return "The other machine was turned away and the code is closed: make a new one to pair again."
    case .cancelled: return "The code was cancelled here: nothing was changed; run `latchkey pair` again for a new one."
    default: return outcome.sentence
    }
  }
}
