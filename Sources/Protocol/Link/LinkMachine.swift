import LatchkeyModel

/// The state machine of the link to one paired device.
///
/// It decides when and where the peer is called, which session is kept, what is sent in it, and
/// what is stored.
///
/// Its inputs are batches, results of disk operations and the time. Its outputs are effects, which
/// `takeEffects` returns in order; its interpreter carries out each one and reports the result. The
/// state diagrams are in the specification. Spec: Protocol/04-session.md §5 to §11,
/// Protocol/05-delivery.md §3 to §8.
public struct LinkMachine: Sendable {
  public let peer: DeviceID
  var settings: LinkSettings
  /// The names of the two devices.
  var labels = SessionLabels()
  /// The peer's state in the database.
  public package(set) var standing: PeerStanding
  /// The ID of the key with which calls are answered, 8 bytes; empty if there is none.
  var keyID: [UInt8]
  package var outbox: OutboxMachine
  package var inbox: InboxMachine
  package var roster: SessionRoster
  public package(set) var dialler: DialMachine
  package var watch = CloneWatch()
  package var notes = LinkNotes()
  package var sessions = FewByNumber<LinkSession>()
  private var lastSession = 0
  var streamLook = StreamLook.none
  /// A Boolean value that indicates whether the last load was empty; nothing is loaded until
  /// something changes.
  var isLoadHeld = false
  /// The key of the session whose items are being committed.
  var committingKey: [UInt8]?
  var removalSession: Int?
  /// The last position of the control stream that the peer was noted to have stored.
  var controlStored: StreamPosition?
  /// The peer's announced instances and their addresses, newest last.
  var announced: [(instance: String, endpoints: [SocketEndpoint])] = []
  /// The addresses where the peer can be called, according to the peer.
  var told: [SocketEndpoint]
  /// Addresses at which calls failed since this process began; at most `Limits.addresses`.
  var failedAddresses: Set<SocketEndpoint> = []
  public var surroundings: LinkSurroundings
  public private(set) var endedSessions: UInt64 = 0
  /// The last error; `nil` if none has occurred.
  public internal(set) var trouble: LinkTrouble?
  /// The number of items that waited in both directions when they last began to.
  public internal(set) var syncTotal: UInt64 = 0
  var notedInStep: BootInstant?
  /// A Boolean value that indicates whether any item has moved since then.
  var hasMoved = false
  /// A Boolean value that indicates whether the peer is no longer paired, or this machine is
  /// stopping.
  public private(set) var isEnded = false
  var jitter: JitterSource
  package var effects: [LinkEffect] = []
  var now: BootInstant

  /// The relation of the machine's view of the streams to the database, after a pairing or a
  /// removal that may have replaced some.
  enum StreamLook: Hashable, Sendable {
    case none
    /// They are being read.
    ///
    /// If they may have been replaced (`isAnew`), no session is opened until then.
    case reading(isAnew: Bool, again: Bool)
    /// Operations on the old streams finish first.
    case waiting
    /// The read failed; the next sign of life repeats it.
    case failed
  }

  /// Creates a machine from the state in the database.
  ///
  /// `keyID` names the key with which calls are answered, 8 bytes; it is empty if there is none.
  /// `told` are the addresses that the peer last stated. No secret depends on `jitterSeed`, a
  /// random number.
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

  /// The session in which both sides have sent a Hello.
  public var current: Int? { roster.current }
  /// The session that this side dialled and in which it sent its Hello, while it waits for the
  /// answer.
  public var attempt: Int? { roster.attempt }

  /// The ends of the current session; `nil` if there is none.
  public var currentEnds: SessionEnds? { current.flatMap { sessions[$0]?.ends } }
  /// A Boolean value that indicates whether this side called in the current session.
  public var isCurrentOurs: Bool { current.flatMap { sessions[$0]?.isOurs } ?? false }

  public mutating func takeEffects() -> [LinkEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  // MARK: Inputs from the node

  /// Starts the machine; its interpreter calls this once.
  public mutating func begin(now: BootInstant) {
    self.now = now
    // Finds items that were queued while the database was being read, before the machine existed.
    lookAtStreams(isAnew: false)
    settle()
  }

  /// Takes over a change of the peer's state in the database.
  public mutating func changed(_ standing: PeerStanding, keyID: [UInt8], now: BootInstant) {
    self.now = now
    let before = self.standing
    // After a person has trusted the peer again, duplicates are counted from the beginning.
    if before.isQuarantined, !standing.isQuarantined {
      watch = CloneWatch()
      notes.isToQuarantine = false
    }
    self.standing = standing
    self.keyID = keyID
    lookAtStreams(
      isAnew: standing.sessionKey != before.sessionKey || standing.state != before.state || standing.state != .active)
    // A session from before a new pairing is replaced by one with the new key.
    if let current, let key = sessions[current]?.pairwiseKey, standing.isOfThePast(key) { close(current, .renew) }
    showsLife()
    settle()
  }

  /// Records that items for the peer were made durable, and returns whether some of them were sent.
  ///
  /// `items` are those of the transaction, in order; empty if they have to be loaded.
  @discardableResult
  public mutating func committed(
    _ streamClass: StreamClass, epoch: UInt64, last: UInt64, items: [DeliveryItem] = [], now: BootInstant
  ) -> Bool {
    self.now = now
    // A stream that is not known may have been closed since. A load finds out.
    let isKnown = outbox.knows(streamClass, epoch: epoch)
    outbox.committed(streamClass, epoch: epoch, last: last)
    isLoadHeld = false
    streamsTouched()
    let isSent = isKnown && send(streamClass, epoch: epoch, items)
    if current != nil { moved() }
    // If sessions fail soon after they open (a full disk, for example), one more item does not
    // help.
    if current == nil, !dialler.pace.hasFallenApart { showsLife() }
    settle()
    return isSent
  }

  /// Retries the operations that the disk had refused, and looks for the peer, whose calls may have
  /// been refused as well.
  public mutating func diskRecovered(now: BootInstant) {
    self.now = now
    notes.isHeldUp = false
    showsLife()
    settle()
  }

  /// Changes the names that the machine states in its sessions.
  public mutating func named(_ name: String, _ labels: SessionLabels, now: BootInstant) {
    self.now = now
    settings.name = name
    guard self.labels != labels else { return }
    self.labels = labels
    if let current { sendLabels(current) }
    settle()
  }

  /// Sends the peer the names of the two devices.
  mutating func sendLabels(_ number: Int) {
    guard labels != SessionLabels(), let session = sessions[number], session.toldLabels != labels else { return }
    sessions[number]?.toldLabels = labels
    send(SessionBatch(labels: labels), on: number)
  }

  /// Synchronizes at a person's request: calls the peer, or repeats the stored positions to it.
  public mutating func requestedSync(now: BootInstant) {
    self.now = now
    showsLife()
    isLoadHeld = false
    if let current { repeatStored(current) }
    settle()
  }

  /// Ends the link because the peer is no longer paired.
  public mutating func end(now: BootInstant) { end(saying: .removed, now: now) }

  /// Ends the link because the node is stopping.
  public mutating func shutDown(now: BootInstant) { end(saying: .shuttingDown, now: now) }

  private mutating func end(saying goodbye: Goodbye, now: BootInstant) {
    self.now = now
    isEnded = true
    // Before one's own Hello, only the reason for ending the session may be sent.
    for number in sessions.keys.sorted() { close(number, goodbye) }
    settle()
  }

  /// Ends the link without a message, because the peer was forgotten.
  public mutating func vanish(now: BootInstant) {
    self.now = now
    isEnded = true
    for number in sessions.keys.sorted() { abort(number) }
    settle()
  }

  /// Restarts the back-off because something indicates that an attempt may succeed.
  mutating func showsLife() {
    if streamLook == .failed { lookAtStreams(isAnew: true) }
    dialler.signOfLife(crowd: surroundings.crowd, now: now)
  }

  // MARK: Settling

  /// Starts whatever has become possible; called at the end of every input.
  mutating func settle() {
    commitNext()
    loadNext()
    noteNext()
    // The Hello of a call has to state the streams as they are now.
    if isEnded || !hasStreamsInDoubt { dialler.settle(need, crowd: surroundings.crowd, now: now) }
    takeDials()
  }

  mutating func newSession(_ session: LinkSession) -> Int {
    lastSession += 1
    sessions[lastSession] = session
    return lastSession
  }

  mutating func sessionEnded() { endedSessions += 1 }

  /// Reports that the number of items that wait or are on their way has changed.
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
