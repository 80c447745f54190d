import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// Two sides and a connection that breaks, with crashes between any two steps; the same seed does the same again.
struct DeliverySimulation {
  /// One-line mistakes that a store or its caller could make; each has to be noticed.
  enum Mistake: CaseIterable, Sendable {
    case acknowledgesBeforeTheCommit
    case forgetsWhatIsSent
    case leavesOutSkips
    case advancesTheWatermarkLater
  }

  private(set) var random: SeededRandom
  private(set) var nodes: [SimulatedNode]
  private var links: [LossyLink<SessionBatch>]
  private var connections = 0
  private var names: UInt64 = 0
  private var epochs: UInt64 = 0
  private let mistake: Mistake?
  /// What was accepted and not taken back, by the side that sends it.
  private var promised: [[StreamClass: [UInt64]]] = [[:], [:]]
  private var cancelled: Set<UInt64> = []
  /// The first thing that must not be.
  private(set) var fault: String?
  /// Restored machines that take nothing new before they have heard what their peer holds: numbers they gave out in the
  /// past that is gone would be given out again, and no number tells the two apart.
  private var quietUntilOpen: Set<Int> = []
  private var hasOtherPasts = false

  init(seed: UInt64, mistake: Mistake? = nil, knowsIDs: Bool = false) {
    random = SeededRandom(seed: seed)
    self.mistake = mistake
    var store = SimulatedStore()
    store.knowsIDs = knowsIDs
    nodes = []
    for _ in 0..<2 {
      nodes.append(
        SimulatedNode(
          store: store, windowItems: UInt32(1 + random.below(8)), windowBytes: UInt32(40 + random.below(400))))
    }
    links = [LossyLink(), LossyLink()]
  }

  /// Take random steps, then let everything heal; gives what went wrong, nil when nothing did.
  mutating func run(steps: Int) -> String? {
    for _ in 0..<steps where fault == nil { step() }
    return heal()
  }

  // MARK: Steps

  mutating func step() {
    let side = random.below(2)
    switch random.below(100) {
    case 0..<14: accept(side)
    case 14..<17: cancel(side)
    case 17..<18: crash(side)
    case 18..<20: cutLinks()
    case 20: failCommit(side)
    default: work(side)
    }
  }

  /// Something that a healthy machine does, if there is anything of that kind to do.
  private mutating func work(_ side: Int) {
    switch random.below(9) {
    case 0: connect()
    case 1: notice(side)
    case 2: if let first = nodes[side].news.first { hear(side, first) }
    case 3: startLoad(side)
    case 4: finishLoad(side)
    case 5: deliver(to: side)
    case 6: startCommit(side)
    case 7: if nodes[side].commit?.isDurable == false { applyCommit(side) } else { finishCommit(side) }
    default: runErrand(side)
    }
  }

  mutating func accept(_ side: Int) {
    if quietUntilOpen.contains(side) {
      guard nodes[side].isOpen, nodes[side].errands.isEmpty else { return }
      quietUntilOpen.remove(side)
    }
    let streamClass = random.pick(StreamClass.allCases)
    names += 1
    epochs += 1
    let (epoch, last) = nodes[side].store.accept(
      names, streamClass, body: random.bytes(random.below(60)), epoch: epochs)
    promised[side][streamClass, default: []].append(names)
    nodes[side].news.append((streamClass, epoch, last))
  }

  private mutating func cancel(_ side: Int) {
    // An older copy of the store would not know that the item was taken back, and rightly send it.
    if nodes[side].store.knowsIDs && !hasOtherPasts { return }
    let streamClass = random.pick(StreamClass.allCases)
    if let name = nodes[side].store.cancel(streamClass, at: random.below(4)) { cancelled.insert(name) }
  }

  mutating func crash(_ side: Int, restoring store: SimulatedStore? = nil) {
    cutLinks()
    nodes[side].crash(restoring: store)
  }

  private mutating func cutLinks() {
    for index in links.indices { links[index].cut(arriving: random.below(links[index].count + 1)) }
  }

  /// The disk is full: the session goes, and nothing was acknowledged.
  private mutating func failCommit(_ side: Int) {
    guard nodes[side].commit?.isDurable == false else { return }
    nodes[side].commit = nil
    nodes[side].inbox.commitFailed()
    cutLinks()
    nodes[side].disconnect()
  }

  private mutating func connect() {
    guard nodes.allSatisfy({ $0.connection == nil }) else { return }
    connections += 1
    links = [LossyLink(), LossyLink()]
    for side in 0..<2 {
      nodes[side].connection = connections
      send(SessionBatch(hello: nodes[side].hello), from: side)
    }
  }

  private mutating func notice(_ side: Int) {
    if links[0].isBroken { nodes[side].disconnect() }
  }

  private mutating func hear(_ side: Int, _ news: (streamClass: StreamClass, epoch: UInt64, last: UInt64)) {
    nodes[side].news.removeFirst()
    nodes[side].outbox.committed(news.streamClass, epoch: news.epoch, last: news.last)
  }

  private mutating func startLoad(_ side: Int) {
    if nodes[side].load == nil { nodes[side].load = nodes[side].outbox.nextLoad() }
  }

  private mutating func finishLoad(_ side: Int) {
    guard let load = nodes[side].load else { return }
    nodes[side].load = nil
    var items = nodes[side].store.load(load)
    if mistake == .leavesOutSkips { items.removeAll { $0.kind == .skip } }
    guard let run = nodes[side].outbox.loaded(load, items) else { return }
    send(SessionBatch(runs: [run]), from: side)
    // A stream that got a new epoch within a session has a new window with it.
    if nodes[side].sendingEpochs.updateValue(run.epoch, forKey: run.streamClass) != run.epoch {
      nodes[side].onTheWay[run.streamClass] = []
    }
    nodes[side].onTheWay[run.streamClass, default: []] += run.items
    let onTheWay = nodes[side].onTheWay[run.streamClass] ?? []
    let bytes = onTheWay.dropLast().reduce(0) { $0 + $1.cost }
    let peer = nodes[1 - side]
    if onTheWay.count > Int(peer.windowItems) || bytes > Int(peer.windowBytes) {
      fault = "\(onTheWay.count) items and \(bytes) bytes beside the last are over the window"
    }
    if mistake == .forgetsWhatIsSent, let last = run.items.last {
      forget(side, StreamPosition(streamClass: run.streamClass, epoch: run.epoch, through: last.skipThrough))
    }
  }

  private mutating func deliver(to side: Int) {
    guard nodes[side].connection == connections, let batch = links[side].receive() else { return }
    if let hello = batch.hello {
      nodes[side].inbox.sessionOpened(hello)
      nodes[side].add(nodes[side].outbox.sessionOpened(hello))
      nodes[side].isOpen = true
    }
    do {
      for run in batch.runs {
        if let position = try nodes[side].inbox.received(run) { send(SessionBatch(stored: [position]), from: side) }
      }
      for position in batch.stored {
        nodes[side].onTheWay[position.streamClass]?.removeAll { $0.skipThrough <= position.through }
        nodes[side].add([try nodes[side].outbox.received(stored: position)].compactMap { $0 })
      }
    } catch {
      // A restored machine may hear of numbers it never gave out; the next session begins with what the peer holds.
      guard hasOtherPasts else {
        fault = "an honest peer was accused: \(error)"
        return
      }
      cutLinks()
      nodes[side].disconnect()
    }
  }

  private mutating func startCommit(_ side: Int) {
    guard nodes[side].commit == nil, let runs = nodes[side].inbox.nextCommit() else { return }
    nodes[side].commit = (runs, false)
    if mistake == .acknowledgesBeforeTheCommit {
      var ahead = nodes[side].inbox
      report(ahead.committed(runs), from: side)
    }
  }

  private mutating func applyCommit(_ side: Int) {
    guard let commit = nodes[side].commit else { return }
    nodes[side].commit?.isDurable = true
    if let wrong = nodes[side].store.receive(
      commit.runs, advancesWatermark: mistake != .advancesTheWatermarkLater)
    {
      fault = wrong
    }
  }

  private mutating func finishCommit(_ side: Int) {
    guard let commit = nodes[side].commit, commit.isDurable else { return }
    nodes[side].commit = nil
    if mistake == .advancesTheWatermarkLater { nodes[side].store.advance(commit.runs) }
    report(nodes[side].inbox.committed(commit.runs), from: side)
  }

  private mutating func report(_ positions: [StreamPosition], from side: Int) {
    if nodes[side].isOpen { send(SessionBatch(stored: positions), from: side) }
  }

  private mutating func runErrand(_ side: Int) {
    guard !nodes[side].errands.isEmpty else { return }
    switch nodes[side].errands.removeFirst() {
    case .forget(let position): forget(side, position)
    case .restart(let streamClass):
      epochs += 1
      let position = nodes[side].store.restart(streamClass, epoch: epochs)
      nodes[side].errands.insert(.tellRestarted(streamClass, position), at: 0)
    case .tellRestarted(let streamClass, let position): nodes[side].outbox.restarted(streamClass, position)
    }
  }

  /// Promise 3: what leaves the sender's store is in force at the receiver.
  private mutating func forget(_ side: Int, _ position: StreamPosition) {
    for item in nodes[side].store.forget(position) where item.kind != .skip {
      let name = SimulatedStore.name(item)
      if !nodes[1 - side].store.hasEffect(name) { fault = "\(name) was forgotten before it was in force" }
    }
  }

  private mutating func send(_ batch: SessionBatch, from side: Int) {
    if nodes[side].connection == connections { links[1 - side].send(batch) }
  }

  // MARK: Other pasts

  /// Let what the store was asked for be done, so that what follows is not about it.
  private mutating func flush(_ side: Int) {
    while !nodes[side].errands.isEmpty { runErrand(side) }
  }

  /// A machine's database is lost, or replaced by an older copy of itself; what then is promised is what the stores hold.
  mutating func replaceStore(_ side: Int, by store: SimulatedStore) {
    hasOtherPasts = true
    // The peer has long heard the last of the life before, and brought it into force.
    cutLinks()
    nodes[1 - side].disconnect()
    if nodes[1 - side].commit?.isDurable == false { applyCommit(1 - side) }
    finishCommit(1 - side)
    flush(1 - side)
    crash(side, restoring: store)
    for sender in 0..<2 {
      for streamClass in StreamClass.allCases {
        let waiting = nodes[sender].store.outgoing[streamClass]?.items.filter { $0.kind != .skip } ?? []
        promised[sender][streamClass] = waiting.map(SimulatedStore.name)
      }
    }
    quietUntilOpen.insert(side)
  }

  // MARK: The end

  /// No more breaks or crashes: everything has to arrive.
  mutating func heal() -> String? {
    for _ in 0..<2_000 {
      if let fault { return fault }
      if isQuiet { return whatIsMissing() }
      for side in 0..<2 {
        notice(side)
        connect()
        while let news = nodes[side].news.first { hear(side, news) }
        runErrand(side)
        startLoad(side)
        finishLoad(side)
        deliver(to: side)
        startCommit(side)
        if nodes[side].commit?.isDurable == false { applyCommit(side) }
        finishCommit(side)
      }
    }
    return "the queues do not drain: \(nodes.map { $0.outbox.waiting })"
  }

  private var isQuiet: Bool {
    !links[0].isBroken && links.allSatisfy { $0.count == 0 }
      && nodes.allSatisfy {
        $0.isOpen && $0.outbox.waiting == 0 && $0.errands.isEmpty && $0.news.isEmpty && $0.commit == nil
          && $0.load == nil
      }
  }

  private func whatIsMissing() -> String? {
    for side in 0..<2 {
      for streamClass in StreamClass.allCases {
        let (sender, receiver) = (nodes[side].store, nodes[1 - side].store)
        for name in promised[side][streamClass] ?? [] where !cancelled.contains(name) && !receiver.hasEffect(name) {
          return "\(name) in \(streamClass) never took effect"
        }
        guard let stream = sender.outgoing[streamClass] else { continue }
        if !stream.items.isEmpty { return "\(stream.items.count) items were not forgotten in \(streamClass)" }
        if let held = receiver.incoming[streamClass], held.epoch == stream.epoch, held.watermark != stream.last {
          return "the watermark is \(held.watermark) of \(stream.last) in \(streamClass)"
        }
      }
    }
    return nil
  }
}
