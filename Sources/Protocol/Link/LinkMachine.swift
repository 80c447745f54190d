import LatchkeyModel

/// Everything that decides on the link to one paired device: when it is called and where, which session is kept, what flows in
/// it, and what has to be noted.
///
/// Batches, answers of the disk and the time come in; effects go out, and `takeEffects` gives them in their order. Whoever runs
/// the machine runs each effect, and tells what came of it. The state diagrams are in the specification.
///
/// Spec: Protocol/04-session.md §5 to §11, Protocol/05-delivery.md §3 to §8.
public struct LinkMachine: Sendable {
  public let peer: DeviceID
  let settings: LinkSettings
  public package(set) var standing: PeerStanding
  /// The ID of the key that calls are answered with, 8 bytes; empty when there is none.
  var keyID: [UInt8]
  package var outbox: OutboxMachine
  package var inbox: InboxMachine
  package var roster: SessionRoster
  public package(set) var dialler: DialMachine
  package var watch = CloneWatch()
  package var notes = LinkNotes()
  package var sessions: [Int: LinkSession] = [:]
  private var lastSession = 0
  var streamLook = StreamLook.none
  /// A load came back empty: nothing is loaded before something has changed.
  var isLoadHeld = false
  /// The key of the session whose items are being committed.
  var committingKey: [UInt8]?
  /// The session in which a removal was sent last.
  var removalSession: Int?
  /// Instances under which the peer is announced, and where; the newest last.
  var announced: [(instance: String, endpoints: [SocketEndpoint])] = []
  /// Where the peer says that it can be called.
  var told: [SocketEndpoint]
  /// Addresses that led nowhere since this process began; at most `Limits.addresses`.
  var failedAddresses: Set<SocketEndpoint> = []
  public var surroundings: LinkSurroundings
  /// Sessions that were up in this process and have ended.
  public private(set) var endedSessions: UInt64 = 0
  /// What went wrong last; nil while nothing did.
  public internal(set) var trouble: LinkTrouble?
  /// Items that waited in both directions when they last began to.
  public internal(set) var syncTotal: UInt64 = 0
  /// When the state of being in step was noted last.
  var notedInStep: BootInstant?
  /// Whether something has moved since then.
  var hasMoved = false
  /// Whether the peer is not paired any more, or this machine stops.
  public private(set) var isEnded = false
  var jitter: JitterSource
  package var effects: [LinkEffect] = []
  var now: BootInstant

  /// Whether the streams are what the disk holds, since a pairing or a removal may have closed some and begun others.
  enum StreamLook: Hashable, Sendable {
    case none
    /// They are being read. While another pairing or a removal may have changed them, no session is begun.
    case reading(isAnew: Bool, again: Bool)
    /// What was begun for the streams as they were ends first.
    case waiting
    /// The disk did not answer: the next sign of life asks again.
    case failed
  }

  /// Begin with what the disk holds.
  ///
  /// - Parameters:
  ///   - keyID: names the key that calls are answered with, 8 bytes; empty when there is none.
  ///   - told: where the peer said last that it can be called.
  ///   - jitterSeed: random; no secret depends on it.
  public init(
    peer: DeviceID, settings: LinkSettings, standing: PeerStanding, keyID: [UInt8], streams: LinkStreams,
    told: [SocketEndpoint], surroundings: LinkSurroundings, jitterSeed: UInt64, now: BootInstant
  ) {
    self.peer = peer
    self.settings = settings
    self.standing = standing
    self.keyID = keyID
    self.told = told
    self.surroundings = surroundings
    self.now = now
    outbox = OutboxMachine(streams.outbox)
    inbox = InboxMachine(streams.inbox, held: streams.held)
    roster = SessionRoster(own: settings.device, peer: peer)
    dialler = DialMachine(jitterSeed: jitterSeed)
    jitter = JitterSource(seed: ~jitterSeed)
  }

  /// The session that both sides have said Hello in.
  public var current: Int? { roster.current }
  /// The session that we dialled and said Hello in, while the answer is on its way.
  public var attempt: Int? { roster.attempt }

  /// The ends of the present session; nil while there is none.
  public var currentEnds: SessionEnds? { current.flatMap { sessions[$0]?.ends } }
  /// Whether this side called for the present session.
  public var isCurrentOurs: Bool { current.flatMap { sessions[$0]?.isOurs } ?? false }

  /// Returns what has to be done since it was asked last.
  public mutating func takeEffects() -> [LinkEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  // MARK: What the node says

  /// Begins the machine's work; its interpreter calls this once.
  public mutating func begin(now: BootInstant) {
    self.now = now
    // What was made durable while the disk was read had no machine to be told to.
    lookAtStreams(isAnew: false)
    settle()
  }

  /// The database has changed what is known of the peer.
  public mutating func changed(_ standing: PeerStanding, keyID: [UInt8], now: BootInstant) {
    self.now = now
    let before = self.standing
    // Whoever is trusted anew has to be caught anew.
    if before.isQuarantined, !standing.isQuarantined {
      watch = CloneWatch()
      notes.isToQuarantine = false
    }
    self.standing = standing
    self.keyID = keyID
    lookAtStreams(
      isAnew: standing.sessionKey != before.sessionKey || standing.state != before.state || standing.state != .active)
    // A session from before a new pairing makes way for one with its key.
    if let current, let key = sessions[current]?.pairwiseKey, standing.isOfThePast(key) { close(current, .renew) }
    showsLife()
    settle()
  }

  /// Items were made durable for the peer.
  public mutating func committed(_ streamClass: StreamClass, epoch: UInt64, last: UInt64, now: BootInstant) {
    self.now = now
    committed(streamClass, epoch: epoch, last: last)
    // Where sessions fall apart (a full disk), one more item does not mend them.
    if current == nil, !dialler.pace.hasFallenApart { showsLife() }
    settle()
  }

  mutating func committed(_ streamClass: StreamClass, epoch: UInt64, last: UInt64) {
    outbox.committed(streamClass, epoch: epoch, last: last)
    isLoadHeld = false
    streamsTouched()
    if current != nil { moved() }
  }

  /// The disk is well again: what waited for that is done, and the peer looked for, which may have been turned away.
  public mutating func diskRecovered(now: BootInstant) {
    self.now = now
    notes.isHeldUp = false
    showsLife()
    settle()
  }

  /// A person wants it now: the peer is called, or told again what is held here.
  public mutating func requestedSync(now: BootInstant) {
    self.now = now
    showsLife()
    isLoadHeld = false
    if let current { repeatStored(current) }
    settle()
  }

  /// The peer is not paired any more.
  public mutating func end(now: BootInstant) {
    end(saying: .removed, now: now)
  }

  /// The node stops.
  public mutating func shutDown(now: BootInstant) {
    end(saying: .shuttingDown, now: now)
  }

  private mutating func end(saying goodbye: Goodbye, now: BootInstant) {
    self.now = now
    isEnded = true
    // Nothing may be said in a session before one's Hello but for a reason not to hold it.
    for number in sessions.keys.sorted() { close(number, goodbye) }
    settle()
  }

  /// The peer is forgotten: not a word to it.
  public mutating func vanish(now: BootInstant) {
    self.now = now
    isEnded = true
    for number in sessions.keys.sorted() { abort(number) }
    settle()
  }

  /// Whatever shows that a try is worth while: the back-off begins anew.
  mutating func showsLife() {
    if streamLook == .failed { lookAtStreams(isAnew: true) }
    dialler.signOfLife(crowd: surroundings.crowd, now: now)
  }

  // MARK: Settling

  /// Does what has become possible; at the end of everything that was said.
  mutating func settle() {
    commitNext()
    loadNext()
    noteNext()
    // A call's Hello has to state the streams as they are.
    if isEnded || !hasStreamsInDoubt { dialler.settle(need, crowd: surroundings.crowd, now: now) }
    takeDials()
  }

  mutating func newSession(_ session: LinkSession) -> Int {
    lastSession += 1
    sessions[lastSession] = session
    return lastSession
  }

  mutating func sessionEnded() {
    endedSessions += 1
  }

  /// What waits, or is on its way, has changed.
  mutating func moved() {
    let waiting = waiting
    syncTotal = current != nil && waiting == 0 ? 0 : max(syncTotal, waiting)
    hasMoved = true
    effects.append(.tell(.moved))
  }

  mutating func failed(_ trouble: LinkTrouble?) {
    self.trouble = trouble
    effects.append(.tell(.changed))
  }
}

/// What a link went wrong with last, for people.
public enum LinkTrouble: Hashable, Sendable {
  /// Nobody was reached.
  case unreached(CallOutcome)
  /// The session was closed because of this.
  case fault(SessionFault)
  /// The peer is not heard of any more.
  case unheard
  /// The versions do not understand each other.
  case version
  /// The peer talks to nobody with this machine's keys.
  case turnedAway
  /// The disk could not do its part.
  case disk(String)
}
