import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem
import LatchkeyTransport

/// The link to one paired device, which connects the link's machine to sockets, the database and
/// the clock.
///
/// `LinkMachine` makes all decisions. The actor carries out its effects and reports their results.
/// The only task that waits in a link is the one that reads, one in each of its sessions.
actor PeerLink {
  nonisolated let peer: DeviceID
  nonisolated let key: LinkPublicKey
  let context: NodeContext
  let directory: LinkDirectory

  var record: PeerRecord
  var machine: LinkMachine
  /// The connections of the machine's sessions, by number.
  var seats: [Int: LinkSeat] = [:]
  var calls: [Int: DialAttempt] = [:]
  /// The alarm for the machine's next deadline, and the time for which it is set.
  private var alarm: (number: UInt64, at: BootInstant)?
  /// An operation that waits: a transaction or a call.
  typealias Job = @Sendable (PeerLink) async -> Void
  /// A Boolean value that indicates whether the peer is no longer paired, so that nothing new is
  /// started for it.
  private var isOver = false

  /// A Boolean value that indicates whether the database holds newer keys than the machine knows.
  var hasUnreadKeys = false
  /// The stored addresses, latest success first.
  var remembered: [RememberedAddress] = []
  /// The failed attempts since the start of this node, by address; at most `Limits.addresses`.
  var failedTries: [SocketEndpoint: FailedTry] = [:]
  var lastSynced: Int64?
  /// The time at which the last session of this run ended.
  ///
  /// The database holds the time at which the last one began.
  var lastSeen: Int64?
  /// Signals that the peer has reported items as stored.
  nonisolated let stored = ChangeSignal()
  /// The number of the last item of each class that the peer reported as stored since the start of
  /// this node.
  var storedThrough: [StreamClass: UInt64] = [:]

  init(context: NodeContext, directory: LinkDirectory, record: PeerRecord, key: LinkPublicKey, streams: LinkStreams) {
    self.context = context
    self.directory = directory
    self.record = record
    self.key = key
    peer = record.device.deviceID
    lastSynced = record.device.lastSyncedAt
    let verifier = ControlVerifier(
      identity: Hexadecimal.decode(record.device.identityKey).flatMap { try? IdentityPublicKey(bytes: $0) },
      sender: peer, receiver: context.own, senderRole: record.device.role)
    var settings = LinkSettings(
      device: context.own, runID: context.runID, name: context.name.text, role: context.profile.role,
      host: { IPAddress($0).flatMap { $0.leadsElsewhere ? $0.description : nil } },
      verify: { (run) throws(SessionFault) in try verifier.verify(run) })
    settings.prepare = { [store = context.store] in store.prepare(&$0) }
    machine = LinkMachine(
      peer: peer, settings: settings, standing: record.standing, keyID: Self.keyID(record),
      streams: streams, told: record.told.compactMap { SocketEndpoint($0) },
      surroundings: Self.surroundings(context), jitterSeed: UInt64.random(in: 0...UInt64.max), now: context.now())
  }

  var logger: PeerLogger { PeerLogger(logger: context.logger, peer: record.device.name) }

  func begin() {
    named()
    update { $0.begin(now: $1) }
  }

  // MARK: The machine

  /// Passes an input to the machine and carries out its effects.
  @discardableResult
  func update<Value>(_ tell: (inout LinkMachine, BootInstant) -> Value) -> Value {
    let value = tell(&machine, context.now())
    runEffects()
    return value
  }

  /// Passes a connection to the machine, and carries out its effects once the connection has its
  /// seat.
  func open(_ seat: LinkSeat, _ tell: (inout LinkMachine, BootInstant) -> Int?) -> Int? {
    machine.surroundings = Self.surroundings(context)
    let number = tell(&machine, context.now())
    if let number {
      seats[number] = seat
      seat.connection.onDrained { [weak self] in self?.drained(number) }
    }
    runEffects()
    return number
  }

  private nonisolated func drained(_ number: Int) {
    directory.operations.beginElsewhere { await self.update { $0.drained(number, now: $1) } }
  }

  private func runEffects() {
    var effects = machine.takeEffects()
    while !effects.isEmpty {
      for effect in effects { run(effect) }
      effects = machine.takeEffects()
    }
    let (isEnded, next) = look { ($0.isEnded, $0.nextTimer) }
    isOver = isEnded
    setAlarm(next)
  }

  /// Reads what the machine computes, in its place.
  ///
  /// A property of an actor's value is asked of a copy of the value, which counts references to all
  /// that the machine holds. This is for what runs for each item.
  func look<Value>(_ read: (inout LinkMachine) -> Value) -> Value { read(&machine) }

  private func setAlarm(_ moment: BootInstant?) {
    guard let moment, alarm.map({ moment < $0.at }) ?? true else { return }
    cancelAlarm()
    let number = AlarmClock.shared.set(after: moment - context.now()) { [weak self] in
      guard let self else { return }
      directory.operations.beginElsewhere { await self.timerFired() }
    }
    alarm = (number, moment)
  }

  private func cancelAlarm() {
    if let alarm { AlarmClock.shared.cancel(alarm.number) }
    alarm = nil
  }

  private func timerFired() {
    // A sooner alarm may have been set since this one rang.
    cancelAlarm()
    machine.surroundings = Self.surroundings(context)
    if let due = machine.nextTimer, due <= context.now() { machine.timerFired(now: context.now()) }
    runEffects()
  }

  /// Runs an operation that waits in a task of its own.
  func spawn(waitsForPeer: Bool = false, _ job: @escaping Job) {
    guard !isOver else { return }
    guard waitsForPeer else { return directory.operations.begin { await job(self) } }
    directory.peerJobs.yield { await job(self) }
  }

  func filled(_ number: Int) { machine.filled(number) }

  private static func keyID(_ record: PeerRecord) -> [UInt8] { record.sessionKey.map { PairwiseKeyID.make($0) } ?? [] }

  /// Returns the facts about this machine and the network that the link's machine needs.
  static func surroundings(_ context: NodeContext, _ network: OwnNetwork? = nil) -> LinkSurroundings {
    let network = network ?? context.network
    let addresses = Array(network.callable.prefix(Limits.reachAddresses))
    return LinkSurroundings(
      devices: context.members.count, crowd: max(context.nearby, context.crowd, context.members.count),
      reach: context.port == 0 ? nil : Reach(port: context.port, addresses: addresses), ownHosts: network.all)
  }

  // MARK: What the node says

  /// The session in which both sides have sent a Hello.
  var current: Int? { machine.current }
  /// A Boolean value that indicates whether the peer is no longer paired.
  var isDone: Bool { machine.isEnded }
  var sentThrough: [StreamClass: UInt64] { machine.sentThrough }

  /// Takes over a change of the peer's state in the database.
  func refresh(_ record: PeerRecord) {
    self.record = record
    update { $0.changed(record.standing, keyID: Self.keyID(record), now: $1) }
    named()
  }

  /// Tells the peer that it was removed: now if it is connected, otherwise when it next calls.
  func removed() async {
    do {
      try await directory.refreshAll()
      // The remaining devices were given new keys in the transaction of the removal.
      try await context.reloadDiscoveryKeys()
    } catch {
      logger.error("the removal could not be prepared", metadata: ["reason": "\(error)"])
    }
  }

  /// Ends the link because the peer is no longer paired.
  func end() { update { $0.end(now: $1) } }

  func shutDown() { update { $0.shutDown(now: $1) } }

  /// Ends the link without a message, because the peer was forgotten.
  func vanish() { update { $0.vanish(now: $1) } }

  func committed(_ change: OutboxChange) {
    // Another change of the same transaction may have brought all of its items.
    if look({ $0.hasSent(change.streamClass, epoch: change.epoch, through: change.last) }) { return }
    if update({ $0.committed(change, now: $1) }) { CrashPoint.runSent.reached() }
  }

  /// Retries what the disk had refused.
  func diskRecovered() { update { $0.diskRecovered(now: $1) } }

  /// Synchronizes at a person's request: dials, or repeats what both sides hold.
  func syncNow() { update { $0.requestedSync(now: $1) } }

  func discovered(_ endpoints: [SocketEndpoint], instance: String) {
    machine.surroundings = Self.surroundings(context)
    update { $0.discovered(endpoints, instance: instance, now: $1) }
  }

  /// Removes an announcement that has disappeared.
  ///
  /// This does not mean that the peer is gone.
  func lost(instance: String) { update { machine, _ in machine.lost(instance: instance) } }

  /// Handles a change of this machine's addresses, or its return from sleep.
  func networkChanged(_ own: OwnNetwork) {
    let surroundings = Self.surroundings(context, own)
    update { $0.networkChanged(surroundings, now: $1) }
  }
}
