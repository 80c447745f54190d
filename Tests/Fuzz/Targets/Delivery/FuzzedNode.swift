import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol

/// The two delivery machines of one node, run as a link runs them, with a store whose answers the
/// script delays.
struct FuzzedNode {
  private enum Errand {
    case forget(StreamPosition)
    case restart(StreamClass)
    case restarted(StreamClass, OutboxPosition)
  }

  private var store = FuzzedStore()
  private var outbox = OutboxMachine([:])
  private var inbox = InboxMachine([])
  /// The positions that the outbox must assume for its streams.
  private var believed: [StreamClass: OutboxPosition] = [:]
  /// The process of the peer's last Hello, and for each stream the process that reported what is
  /// stored.
  private var run: [UInt8] = []
  private var storedBy: [StreamClass: [UInt8]] = [:]
  /// The check of what is sent; `nil` if no session is open.
  private var watch: SendingWatch?
  private var load: OutboxMachine.Load?
  private var commit: (runs: [ItemRun], isDurable: Bool)?
  private var errands: [Errand] = []
  private var news: [(streamClass: StreamClass, position: OutboxPosition)] = []
  private var peer = HostilePeer()

  /// Performs the next step of the script.
  mutating func step(_ script: inout ByteScript) throws(FuzzFault) {
    try take(step: &script)
    // The display of a node's backlog adds these two.
    let (_, isTooMuch) = outbox.waiting.addingReportingOverflow(inbox.behind)
    try require(!isTooMuch, "\(inbox.behind) items behind are more than can be counted")
    // Between a commit in the store and the report about it, the store is ahead.
    if commit == nil { try checkHeld() }
  }

  private mutating func take(step script: inout ByteScript) throws(FuzzFault) {
    switch script.choice(16) {
    case 0: news.append(store.accept(HostilePeer.streamClass(&script), bytes: Int(script.byte()) * 16))
    case 1: hear()
    case 2: try open(peer.hello(&script, outbox.statement, believed))
    case 3: close()
    case 4: load = load ?? outbox.nextLoad()
    case 5: if let run = try finishLoad() { peer.heard(run) }
    case 6: if watch != nil { try hear(stored: peer.report(&script, believed)) }
    case 7: if watch != nil { try take(peer.run(&script, inbox.statement, items: Int(script.byte()))) }
    case 8: try startCommit()
    case 9: try applyCommit()
    case 10: _ = try finishCommit()
    case 11: failCommit()
    case 12: try runErrand()
    case 13: crash()
    case 14: store.cancel(HostilePeer.streamClass(&script), at: script.choice(4))
    default: if watch != nil { try take(peer.run(&script, inbox.statement, items: Int(script.number16() % 5_000))) }
    }
  }

  // MARK: The session

  private mutating func open(_ hello: Hello) throws(FuzzFault) {
    close()
    let statement = outbox.statement
    watch = SendingWatch(hello)
    run = hello.runID
    inbox.sessionOpened(hello)
    // The store may give any answer about the peer's items, since the answer depends on the peer's
    // statements.
    let foreign = Set(StreamClass.allCases.filter { (hello.runID[0] >> 4) >> ($0.rawValue - 1) & 1 == 1 })
    var effects = outbox.sessionOpened(hello, foreign: foreign)
    for (streamClass, position) in believed.sorted(by: { $0.key < $1.key }) {
      let last = statement.first { $0.streamClass == streamClass }?.through ?? 0
      let held = hello.incoming.first { $0.streamClass == streamClass }
      let expected = Self.resume(
        position, last: last, streamClass, held, foreign, isLate: storedBy[streamClass] == run)
      try require(effects.first == expected || expected == nil, "\(effects) where \(String(describing: expected))")
      if expected != nil { effects.removeFirst() }
      try begin(streamClass, position, expected)
    }
    try require(effects.isEmpty, "\(effects) follow from \(hello.incoming) for \(believed)")
  }

  private mutating func begin(
    _ streamClass: StreamClass, _ position: OutboxPosition, _ effect: OutboxMachine.Effect?
  ) throws(FuzzFault) {
    watch?.begins(streamClass, position)
    switch effect {
    case .forget(let stored): forget(stored)
    case .restart(let streamClass, _):
      watch?.restarts(streamClass)
      // The peer has left the epoch of its report. If the session ends before the restart, its next
      // statement about the stream is not late.
      storedBy[streamClass] = nil
      errands.append(.restart(streamClass))
    case nil: break
    }
  }

  /// Returns the step that the table of Protocol/05-delivery.md §4 requires.
  private static func resume(
    _ position: OutboxPosition, last: UInt64, _ streamClass: StreamClass, _ held: StreamPosition?,
    _ foreign: Set<StreamClass>, isLate: Bool
  ) -> OutboxMachine.Effect? {
    guard let held, held.epoch == position.epoch else {
      // A Hello that names nothing was made before, if its process has reported this as stored.
      let isNews = !isLate || (held?.epoch ?? 0) != 0
      let earlier = held.flatMap { $0.epoch == 0 ? nil : $0 }
      return position.storedThrough > 0 && isNews
        ? .restart(streamClass, .peerLost(after: 0, earlier: earlier)) : nil
    }
    if held.through > last || foreign.contains(streamClass) { return .restart(streamClass, .peerIsAhead) }
    if held.through < position.storedThrough {
      return isLate ? nil : .restart(streamClass, .peerLost(after: held.through))
    }
    return held.through > position.storedThrough ? .forget(held) : nil
  }

  private mutating func close() {
    guard watch != nil else { return }
    watch = nil
    outbox.sessionClosed()
    inbox.sessionClosed()
    peer.forgets()
  }

  private mutating func crash() {
    self = FuzzedNode(restarting: store)
  }

  init() {}

  private init(restarting store: FuzzedStore) {
    self.store = store
    believed = store.outboxPositions
    outbox = OutboxMachine(store.outboxPositions)
    inbox = InboxMachine(Array(store.incoming.values), held: Array(store.held.values))
  }

  // MARK: What goes out

  private mutating func hear() {
    guard !news.isEmpty else { return }
    let (streamClass, position) = news.removeFirst()
    outbox.committed(streamClass, epoch: position.epoch, last: position.last)
    guard believed[streamClass] == nil else {
      if believed[streamClass]?.epoch == position.epoch { believed[streamClass]?.last = position.last }
      return
    }
    let first = OutboxPosition(epoch: position.epoch, storedThrough: 0, last: position.last)
    believed[streamClass] = first
    watch?.begins(streamClass, first)
  }

  private mutating func finishLoad() throws(FuzzFault) -> ItemRun? {
    guard let asked = load else { return nil }
    load = nil
    let items = store.load(asked)
    guard let run = outbox.loaded(asked, items) else { return nil }
    try require(run.items == items && run.epoch == asked.epoch, "other items are sent than were loaded")
    guard watch != nil else { throw FuzzFault("a run is sent without a session") }
    try watch?.sent(run)
    return run
  }

  private mutating func hear(stored: StreamPosition) throws(FuzzFault) {
    let last = outbox.statement.first { $0.streamClass == stored.streamClass }?.through ?? 0
    let known = believed[stored.streamClass]
    let effect: OutboxMachine.Effect?
    do throws(SessionFault) { effect = try outbox.received(stored: stored) } catch {
      try require(known?.epoch == stored.epoch && stored.through > last, "\(stored) is refused: \(error)")
      return close()
    }
    guard let effect else { return }
    try require(
      effect == .forget(stored) && known?.epoch == stored.epoch && stored.through <= last
        && stored.through > known?.storedThrough ?? 0, "\(effect) follows from \(stored)")
    watch?.stored(stored)
    forget(stored)
  }

  private mutating func forget(_ stored: StreamPosition) {
    watch?.stored(stored)
    storedBy[stored.streamClass] = run
    believed[stored.streamClass]?.storedThrough = stored.through
    errands.append(.forget(stored))
  }

  private mutating func runErrand() throws(FuzzFault) {
    guard !errands.isEmpty else { return }
    switch errands.removeFirst() {
    case .forget(let position): try store.forget(position)
    case .restart(let streamClass): errands.insert(.restarted(streamClass, store.restart(streamClass)), at: 0)
    case .restarted(let streamClass, let position):
      outbox.restarted(streamClass, position)
      storedBy[streamClass] = nil
      believed[streamClass] = position
      watch?.begins(streamClass, position)
    }
  }

  // MARK: What comes in

  private mutating func take(_ run: ItemRun) throws(FuzzFault) {
    let before = inbox
    let report: StreamPosition?
    do throws(SessionFault) { report = try inbox.received(run) } catch {
      try require(
        inbox.statement == before.statement && inbox.held == before.held
          && HeldItems.waiting(inbox) == HeldItems.waiting(before),
        "a refused run left something behind")
      return close()
    }
    peer.took(run)
    if let report {
      let durable = store.watermark(report.streamClass, epoch: report.epoch)
      try require(durable >= report.through, "\(report) is reported and \(durable) durable")
    }
    try HeldItems.check(HeldItems.waiting(inbox), "wait for a commit")
  }

  private mutating func startCommit() throws(FuzzFault) {
    guard let runs = inbox.nextCommit() else { return }
    try require(commit == nil, "two commits at once")
    try HeldItems.check(runs, "are in one commit")
    commit = (runs, false)
  }

  private mutating func applyCommit() throws(FuzzFault) {
    guard let commit, !commit.isDurable else { return }
    try store.receive(commit.runs)
    self.commit?.isDurable = true
  }

  private mutating func finishCommit() throws(FuzzFault) -> [StreamPosition] {
    guard let done = commit, done.isDurable else { return [] }
    commit = nil
    let stored = inbox.committed(done.runs)
    for position in stored {
      let durable = store.watermark(position.streamClass, epoch: position.epoch)
      try require(durable >= position.through, "\(position) is reported and \(durable) durable")
    }
    return stored
  }

  private mutating func failCommit() {
    guard let commit, !commit.isDurable else { return }
    self.commit = nil
    inbox.commitFailed()
    close()
  }

  // MARK: The end

  /// Checks that the last items in our Hello are the durable ones, for the streams that the Hello
  /// states like the store.
  private func checkHeld() throws(FuzzFault) {
    for position in inbox.statement where store.incoming[position.streamClass] == position {
      let said = inbox.held.first { $0.streamClass == position.streamClass }
      let durable = store.held[position.streamClass]
      try require(
        said == durable, "\(String(describing: said)) is said to be held where \(String(describing: durable)) is")
    }
    for item in inbox.held {
      let through = inbox.statement.first { $0.streamClass == item.streamClass }?.through ?? 0
      try require(item.sequence <= through, "\(item.sequence) is said to be held of \(through)")
    }
  }

  /// Replaces the hostile peer by an honest one that knows nothing, and checks that everything owed
  /// arrives.
  mutating func heal() throws(FuzzFault) {
    try applyCommit()
    _ = try finishCommit()
    close()
    var (honest, honestStore) = (InboxMachine([]), FuzzedStore())
    while !errands.isEmpty { try runErrand() }
    while !news.isEmpty { hear() }
    load = nil
    try open(
      Hello(runID: Array(1...16), name: "n", role: .child, outgoing: [], incoming: [], keyID: Array(1...8)))
    honest.sessionOpened(
      Hello(
        runID: [UInt8](repeating: 2, count: 16), name: "n", role: .child, outgoing: outbox.statement, incoming: [],
        keyID: Array(1...8)))
    for _ in 0..<2_000 where outbox.waiting > 0 || !errands.isEmpty {
      try runErrand()
      load = outbox.nextLoad()
      if let run = try finishLoad() { try pass(run, to: &honest, &honestStore) }
    }
    try require(outbox.waiting == 0 && errands.isEmpty, "\(outbox.waiting) items never arrive")
    for (streamClass, stream) in store.outgoing {
      try require(stream.items.isEmpty, "\(stream.items.count) items of \(streamClass) are never forgotten")
    }
  }

  private mutating func pass(
    _ run: ItemRun, to honest: inout InboxMachine, _ honestStore: inout FuzzedStore
  ) throws(FuzzFault) {
    do throws(SessionFault) { _ = try honest.received(run) } catch {
      throw FuzzFault("an honest peer refuses: \(error)")
    }
    guard let runs = honest.nextCommit() else { return }
    try honestStore.receive(runs)
    for position in honest.committed(runs) { try hear(stored: position) }
    try require(watch != nil, "an honest report is refused")
  }
}
