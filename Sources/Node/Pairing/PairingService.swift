import LatchkeyAgent
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
  /// There while a code is open or entered here.
  private var undumpable: UndumpableScope?
  private var isUndumpable = false
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

  /// Run a machine's effects in their order.
  func perform(_ id: String, _ effects: [PairingEffect]) async {
    for effect in effects {
      switch effect {
      case .send(let frame): pairings[id]?.connection?.send(frame)
      case .ask(let name, let role, let digits):
        pairings[id]?.connection?.authenticated()
        change(id) { progress in
          progress.phase = .asking
          progress.attempt += 1
          progress.peerName = name
          progress.peerRole = role
          progress.digits = digits
          // What became of the attempt before is no word about this one.
          progress.sentence = nil
        }
      case .storePending(let peer): await storePending(id, peer)
      case .promote(let peer): await promote(id, peer)
      case .discard(let device):
        await tryStore(id) { () async throws(StoreError) in try await self.context.store.discardPending(device) }
        await refresh(device)
      case .countFailure: await countFailure(id)
      case .countRun: await countRun(id)
      case .creditRun:
        if let discriminator = pairings[id]?.discriminator {
          await tryStore(id) { () async throws(StoreError) in
            try await self.context.store.creditRun(discriminator: discriminator)
          }
        }
      case .finish(let outcome): await attemptEnded(id, outcome)
      }
    }
  }

  private func storePending(_ id: String, _ peer: PairedPeer) async {
    CrashPoint.reach(.inviterAccepted, .joinerAccepted, isInviter: isInviter(id))
    change(id) { $0.phase = .committing }
    let device = peer.keys.deviceID
    let (isJoiner, isFirstHousehold) = (!isInviter(id), context.discoveryKey == nil)
    // What need not be known or done before the commit is done beside it. A household that this machine is in already keeps
    // its key until another's pairing is complete; the first one's has to be on the disk before the inviter hears of it.
    let began = isFirstHousehold ? steps.begin() : nil
    async let isKept = isFirstHousehold ? keepAside(peer) : true
    async let known = record(device)
    async let forgotten: Void = isJoiner ? forgetLapsed(except: device) : ()
    let isStored = await tryStore(id) { () async throws(StoreError) in
      try await self.context.store.savePending(
        RegisteredDevice(
          deviceID: device, name: peer.name, role: peer.role,
          childName: self.pairings[id]?.record?.childName, identityKey: Hexadecimal.encode(peer.keys.identity.bytes),
          linkKey: Hexadecimal.encode(peer.keys.link.bytes), pairedAt: self.context.wall()),
        pairwiseKey: peer.pairwiseKey.secret.withUnsafeBytes { Array($0) },
        invitation: self.pairings[id]?.record?.pairingID, address: self.dialledAddress(id),
        bootID: self.context.bootID, now: self.context.now())
    }
    let wasPaired = await known?.state == .active
    pairings[id]?.wasPaired = wasPaired
    let isComplete = await isKept && isStored
    await forgotten
    steps.end(.keyFile, began)
    guard isStored else { return await end(id, .network) }
    pairings[id]?.pending = peer
    CrashPoint.reach(.inviterPendingStored, .joinerPendingStored, isInviter: isInviter(id))
    guard isComplete else { return await end(id, .network) }
    let effects = pairings[id]?.inviter?.stored() ?? pairings[id]?.joiner?.stored() ?? []
    await perform(id, effects)
    // A joiner opens no session before it has heard the last word or lost the connection: it would only get in the way.
    if !isJoiner { await refresh(device) }
    CrashPoint.reach(.inviterCommitSent, .joinerAcknowledgementSent, isInviter: isInviter(id))
  }

  private func promote(_ id: String, _ peer: PairedPeer) async {
    let device = peer.keys.deviceID
    CrashPoint.reach(.inviterAcknowledged, .joinerDone, isInviter: isInviter(id))
    var isPromoted = false
    await tryStore(id) { () async throws(StoreError) in
      isPromoted = try await self.context.store.promote(
        device, address: self.dialledAddress(id), at: self.context.wall())
    }
    // Rolled back meanwhile, or the disk refused: then the other side hears nothing and rolls back too, unless a session
    // with the new key completes the pairing.
    let isInForce = await isPromoted ? true : completedAlready(peer)
    guard isInForce else { return await attemptEnded(id, .network) }
    CrashPoint.reach(.inviterPromoted, .joinerPromoted, isInviter: isInviter(id))
    pairings[id]?.isFinal = true
    // The other machine waits for the last word; what is left here is of this machine alone.
    let effects = pairings[id]?.inviter?.promoted() ?? pairings[id]?.joiner?.promoted() ?? []
    await perform(id, effects.filter(\.isSend))
    let began = steps.begin()
    _ = keepHousehold(peer)
    steps.end(.keyFile, began)
    await refresh(device)
    await discovery.householdChanged()
    takeBackRemoval(device)
    if let record = try? await context.store.peers().first(where: { $0.device.deviceID == device }) {
      change(id) { $0.device = record.device }
    }
    context.logger.notice("paired", metadata: ["name": "\(peer.name)", "device": "\(device.short)"])
    await perform(id, effects.filter { !$0.isSend })
    if isInviter(id) { CrashPoint.inviterDoneSent.reached() }
  }

  /// Where the inviter is, which is worth a try for the sessions to come and for the one that may have to complete this.
  private func dialledAddress(_ id: String) -> ReachedAddress? {
    guard let pairing = pairings[id], pairing.joiner != nil, let remote = pairing.connection?.remote else { return nil }
    return ReachedAddress(remote, source: pairing.source, network: NetworkMark.current())
  }

  /// Whether a session with the new key was faster and has completed this very pairing.
  func completedAlready(_ peer: PairedPeer) async -> Bool {
    let key = peer.pairwiseKey.secret.withUnsafeBytes { Array($0) }
    let record = await record(peer.keys.deviceID)
    // The inviter may have given it another one by now.
    return record?.state == .active && record.map { $0.keys.present == key || $0.keys.previous == key } == true
  }

  /// Keep the discovery key of the household that a pairing leads into; false when the disk refused.
  private nonisolated func keepHousehold(_ peer: PairedPeer) -> Bool {
    guard let key = peer.discoveryKey, key != context.discoveryKey else { return true }
    do {
      try context.keep(discoveryKey: key)
      return true
    } catch {
      context.warn("keys", "The household's key could not be kept (\(error)): make room on the disk and pair again.")
      return false
    }
  }

  /// The same on another thread, while this actor waits for a commit.
  @concurrent private nonisolated func keepAside(_ peer: PairedPeer) async -> Bool { keepHousehold(peer) }

  /// A session with a pending pairing's key has completed it.
  func completedBySession(_ device: DeviceID) async {
    takeBackRemoval(device)
    await discovery.householdChanged()
    // Earlier pairings of the same device are over: it is an open one that this completes.
    for (id, pairing) in pairings
    where pairing.progress.phase != .ended && pairing.pending?.keys.deviceID == device {
      if let peer = pairing.pending { _ = keepHousehold(peer) }
      if let record = await record(device) { change(id) { $0.device = record.device } }
      await attemptEnded(id, .ok)
    }
  }

  /// Paired anew, a device has not removed this one any more.
  private func takeBackRemoval(_ device: DeviceID) {
    context.warn(PeerLink.removalWarning(device), nil)
  }

  /// One attempt is over: the code stays open after what was not a success.
  private func attemptEnded(_ id: String, _ outcome: PairingOutcome) async {
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
    guardMemory()
    steps.tell()
  }

  func change(_ id: String, _ body: (inout PairingProgress) -> Void) {
    guard pairings[id] != nil else { return }
    body(&pairings[id]!.progress)
    pairings[id]?.progress.change += 1
    context.changes.notify()
  }

  /// Keep the memory of a process that holds a code out of core dumps.
  func guardMemory() {
    let holdsCode = pairings.values.contains { $0.progress.phase != .ended }
    guard holdsCode != isUndumpable else { return }
    isUndumpable = holdsCode
    undumpable = holdsCode ? UndumpableScope() : nil
  }

  /// Announce the open codes' discriminators.
  func announce() async {
    guardMemory()
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
