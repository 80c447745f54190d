import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import LatchkeyWire
import Logging

/// One paired device: runs its link's machine on sockets, the database and the clock.
///
/// Whatever is decided is decided in `LinkMachine`. Here its effects are run, and it is told what came of them. Nothing stands
/// idle in a link but the task that reads, one in each of its sessions.
actor PeerLink {
  nonisolated let peer: DeviceID
  nonisolated let key: LinkPublicKey
  let context: NodeContext
  let directory: LinkDirectory
  var logger: Logger

  var record: PeerRecord
  var machine: LinkMachine
  /// The connections of the sessions that the machine holds, by their numbers.
  var seats: [Int: LinkSeat] = [:]
  /// The calls that are under way.
  var calls: [Int: DialAttempt] = [:]
  /// When the alarm was asked to ring.
  private var alarmAt: BootInstant?
  /// Work that waits for something: transactions and calls.
  typealias Job = @Sendable (PeerLink) async -> Void
  /// A Boolean value that indicates whether the peer is not paired any more, and nothing is begun for it.
  private var isOver = false

  /// A Boolean value that indicates whether the database holds newer keys than the machine was told of.
  var hasUnreadKeys = false
  /// What is remembered of addresses, the last success first.
  var remembered: [RememberedAddress] = []
  /// Tries that failed, by address, since this node started; at most `Limits.addresses`.
  var failedTries: [SocketEndpoint: FailedTry] = [:]
  var lastSynced: Int64?
  /// When the last session ended of those that were up in this run; the database holds when the last one began.
  var lastSeen: Int64?
  /// The peer has reported items stored.
  nonisolated let stored = ChangeSignal()
  /// Number of the last item of each class that the peer reported stored since this node started.
  var storedThrough: [StreamClass: UInt64] = [:]

  init(
    context: NodeContext, directory: LinkDirectory, record: PeerRecord, key: LinkPublicKey, streams: PeerStreams
  ) {
    self.context = context
    self.directory = directory
    self.record = record
    self.key = key
    peer = record.device.deviceID
    lastSynced = record.device.lastSyncedAt
    logger = context.logger
    logger[metadataKey: "peer"] = "\(record.device.name)"
    let verifier = ControlVerifier(
      identity: Hexadecimal.decode(record.device.identityKey).flatMap { try? IdentityPublicKey(bytes: $0) },
      sender: peer, receiver: context.own, senderRole: record.device.role)
    let settings = LinkSettings(
      device: context.own, runID: context.runID, name: context.profile.name.text, role: context.profile.role,
      host: { OwnNetwork.leadsElsewhere($0) ? OwnNetwork.text($0) : nil },
      verify: { (run) throws(SessionFault) in try verifier.verify(run) })
    machine = LinkMachine(
      peer: peer, settings: settings, standing: record.standing, keyID: Self.keyID(record),
      streams: LinkStreams(streams), told: record.told.compactMap { SocketEndpoint($0) },
      surroundings: Self.surroundings(context), jitterSeed: UInt64.random(in: 0...UInt64.max), now: context.now())
  }

  /// Begins to do what the machine asks for.
  func begin() { update { $0.begin(now: $1) } }

  // MARK: The machine

  /// Tells the machine something, and runs what it asks for.
  @discardableResult
  func update<Value>(_ tell: (inout LinkMachine, BootInstant) -> Value) -> Value {
    let value = tell(&machine, context.now())
    runEffects()
    return value
  }

  /// Tells the machine of a connection, and runs what it asks for when the connection has its seat.
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
    directory.jobs.yield { await self.update { $0.drained(number, now: $1) } }
  }

  private func runEffects() {
    var effects = machine.takeEffects()
    while !effects.isEmpty {
      for effect in effects { run(effect) }
      effects = machine.takeEffects()
    }
    isOver = machine.isEnded
    setAlarm(machine.nextTimer)
  }

  private func setAlarm(_ moment: BootInstant?) {
    guard let moment, alarmAt.map({ moment < $0 }) ?? true else { return }
    alarmAt = moment
    context.alarm.set(peer, at: moment)
  }

  /// The alarm rings.
  func timerFired() {
    alarmAt = nil
    machine.surroundings = Self.surroundings(context)
    if let due = machine.nextTimer, due <= context.now() { machine.timerFired(now: context.now()) }
    runEffects()
  }

  /// Has something done that waits, in a task of its own.
  func spawn(_ job: @escaping Job) {
    guard !isOver else { return }
    directory.jobs.yield { await job(self) }
  }

  /// A connection has no room for more.
  func filled(_ number: Int) {
    machine.filled(number)
  }

  private static func keyID(_ record: PeerRecord) -> [UInt8] { record.sessionKey.map { PairwiseKeyID.make($0) } ?? [] }

  /// What the machine has to know of this one and of the network.
  static func surroundings(_ context: NodeContext, _ network: OwnNetwork? = nil) -> LinkSurroundings {
    let network = network ?? context.network
    let addresses = Array(network.callable.prefix(Limits.reachAddresses))
    return LinkSurroundings(
      devices: context.members.count, crowd: max(context.nearby, context.crowd, context.members.count),
      reach: context.port == 0 ? nil : Reach(port: context.port, addresses: addresses), ownHosts: network.all)
  }

  // MARK: What the node says

  /// The session that both sides have said Hello in.
  var current: Int? { machine.current }
  /// Whether the peer is not paired any more.
  var isDone: Bool { machine.isEnded }
  /// The last number of each class that was sent in the session that is open.
  var sentThrough: [StreamClass: UInt64] { machine.sentThrough }

  /// The database has changed what is known of the peer.
  func refresh(_ record: PeerRecord) {
    self.record = record
    logger[metadataKey: "peer"] = "\(record.device.name)"
    update { $0.changed(record.standing, keyID: Self.keyID(record), now: $1) }
  }

  /// The database has taken the peer out: tell it if it is there, else when it next calls.
  func removed() async {
    do {
      try await directory.refreshAll()
      // The remaining devices were given new keys in the transaction of the removal.
      try await context.reloadHousehold()
    } catch {
      logger.error("the removal could not be prepared", metadata: ["reason": "\(error)"])
    }
  }

  /// The peer is not paired any more.
  func end() { update { $0.end(now: $1) } }

  /// The node stops: say so and close.
  func shutDown() { update { $0.shutDown(now: $1) } }

  /// The peer is forgotten: not a word to it.
  func vanish() { update { $0.vanish(now: $1) } }

  /// Items were made durable for the peer.
  func committed(_ change: OutboxChange) {
    update { $0.committed(change.streamClass, epoch: change.epoch, last: change.last, now: $1) }
  }

  /// The disk is well again.
  func diskRecovered() { update { $0.diskRecovered(now: $1) } }

  /// A person wants it now: dial, or say again what both sides hold.
  func syncNow() { update { $0.requestedSync(now: $1) } }

  /// mDNS has seen the peer.
  func discovered(_ endpoints: [SocketEndpoint], instance: String) {
    machine.surroundings = Self.surroundings(context)
    update { $0.discovered(endpoints, instance: instance, now: $1) }
  }

  /// mDNS does not see an instance any more, which says nothing about whether the peer is there.
  func lost(instance: String) { update { machine, _ in machine.lost(instance: instance) } }

  /// This machine has other addresses, or has slept.
  func networkChanged(_ own: OwnNetwork) {
    let surroundings = Self.surroundings(context, own)
    update { $0.networkChanged(surroundings, now: $1) }
  }
}

extension LinkStreams {
  init(_ streams: PeerStreams) {
    self.init(outbox: streams.outbox, inbox: streams.inbox, held: streams.held)
  }
}
