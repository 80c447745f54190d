import LatchkeyModel

/// What comes in from one peer: drops what was seen, refuses gaps, and gathers what one commit takes. Pure values.
///
/// Spec: Protocol/05-delivery.md §6.
public struct InboxMachine: Sendable {
  private struct Stream {
    var epoch: UInt64
    /// In force here, durably.
    var watermark: UInt64
    /// Received and waiting for a commit, or in one.
    var received: UInt64
  }

  /// What the store has of a stream: of the epoch before, too, until something of the new one is committed.
  private struct Durable {
    var epoch: UInt64
    var through: UInt64 = 0
    var item: HeldItem?

    /// The store's own rule: another epoch begins anew, and a number that is there already brings nothing.
    mutating func take(_ run: ItemRun) {
      guard !run.items.isEmpty else { return }
      if run.epoch != epoch { self = Durable(epoch: run.epoch) }
      for item in run.items where item.skipThrough > through {
        through = item.skipThrough
        guard item.kind != .skip else { continue }
        self.item = HeldItem(streamClass: run.streamClass, sequence: item.sequence, itemID: item.itemID)
      }
    }
  }

  private var streams: [StreamClass: Stream] = [:]
  private var gathered: [ItemRun] = []
  /// Whether a commit is under way.
  public private(set) var isCommitting = false
  /// The epochs that the commit under way leaves the streams with.
  private var committing: [StreamClass: UInt64] = [:]
  /// The peer's process that said Hello last, and the one whose items the commit under way holds.
  private var run: [UInt8] = []
  private var committingRun: [UInt8] = []
  /// A Boolean value that indicates whether the session has to be opened anew, since our Hello stated less than is in force.
  ///
  /// Either items of an earlier process of the peer were committed after it, or the peer is back at an epoch that it had left. It
  /// may have been set back in between, and may give the same numbers to other items.
  public private(set) var hasOutrunHello = false
  private var heldItems: [StreamClass: Int] = [:]
  private var heldBytes: [StreamClass: Int] = [:]
  private var stated: [StreamPosition] = []
  private var durable: [StreamClass: Durable] = [:]

  /// Begin with the watermarks and last items the store holds.
  public init(_ watermarks: [StreamPosition], held: [HeldItem] = []) {
    for watermark in watermarks {
      durable[watermark.streamClass] = Durable(
        epoch: watermark.epoch, through: watermark.through,
        item: held.first { $0.streamClass == watermark.streamClass })
      streams[watermark.streamClass] = Stream(
        epoch: watermark.epoch, watermark: watermark.through, received: watermark.through)
    }
  }

  /// Whether the store holds the streams that are counted on here, or has closed them and perhaps begun others.
  public func agrees(with stored: [StreamPosition]) -> Bool {
    streams.allSatisfy { streamClass, stream in
      // A new epoch is in the store with its first items.
      stream.watermark == 0 || stored.contains { $0.streamClass == streamClass && $0.epoch == stream.epoch }
    }
  }

  /// What our Hello states about the streams we receive.
  public var statement: [StreamPosition] {
    streams.keys.sorted().compactMap { streamClass in
      streams[streamClass].map { StreamPosition(streamClass: streamClass, epoch: $0.epoch, through: $0.watermark) }
    }
  }

  /// Items that the peer said at the session's opening to have given numbers to, and that are not in force here yet; at most
  /// `Int64.max`, since a peer may say any number, and others are added to it.
  public var behind: UInt64 {
    let most = UInt64(Int64.max)
    return stated.reduce(0) { behind, position in
      guard let stream = streams[position.streamClass], stream.epoch == position.epoch,
        position.through > stream.watermark
      else { return behind }
      return min(most, behind + min(most, position.through - stream.watermark))
    }
  }

  /// The last item of each stream that is in force and was no skip, for our Hello.
  public var held: [HeldItem] {
    statement.compactMap { stated in
      guard let durable = durable[stated.streamClass], durable.epoch == stated.epoch, durable.through == stated.through
      else { return nil }
      return durable.item
    }
  }

  /// A session is open: take over the epochs that the peer states. Both have said what they hold by now, and the peer's old
  /// numbers mean nothing any more.
  public mutating func sessionOpened(_ hello: Hello) {
    forgetUncommitted()
    run = hello.runID
    hasOutrunHello = false
    stated = hello.outgoing
    for position in hello.outgoing where position.epoch != 0 { adopt(position.streamClass, epoch: position.epoch) }
  }

  /// The session is gone: what was not committed will come again.
  public mutating func sessionClosed() {
    stated = []
    hasOutrunHello = false
    forgetUncommitted()
  }

  /// Take a run of items.
  ///
  /// - Returns: what to report stored at once, when the run held nothing new: the peer missed our word on it.
  /// - Throws: `SessionFault.violation` for a gap or more than the window: the peer's fault.
  public mutating func received(_ run: ItemRun) throws(SessionFault) -> StreamPosition? {
    // The first run of a stream made after the Hello states the epoch by itself.
    var stream = streams[run.streamClass] ?? begun(run.streamClass, epoch: run.epoch)
    if run.epoch != stream.epoch {
      // A stream restarted within the session begins at 1; anything else is of the past.
      guard run.items.first?.sequence == 1, !isCommitting || stream.received == stream.watermark else {
        throw .violation("a run of another epoch")
      }
      stream = begun(run.streamClass, epoch: run.epoch)
    }
    var fresh: [DeliveryItem] = []
    fresh.reserveCapacity(run.items.count)
    var bytes = 0
    for item in run.items where item.skipThrough > stream.received {
      guard item.sequence <= stream.received + 1 else {
        throw .violation("a gap after \(stream.received) in \(run.streamClass.word)")
      }
      stream.received = item.skipThrough
      bytes += item.cost
      fresh.append(item)
    }
    guard !fresh.isEmpty else {
      return StreamPosition(streamClass: run.streamClass, epoch: stream.epoch, through: stream.watermark)
    }
    let items = heldItems[run.streamClass, default: 0] + fresh.count
    bytes += heldBytes[run.streamClass, default: 0]
    // One load may overshoot the bytes by an item.
    guard items <= Limits.windowItems, bytes <= Limits.windowBytes + 2 * Limits.itemBodyBytes else {
      throw .violation("more on the way than the window allows")
    }
    heldItems[run.streamClass] = items
    heldBytes[run.streamClass] = bytes
    streams[run.streamClass] = stream
    gathered.append(ItemRun(streamClass: run.streamClass, epoch: run.epoch, items: fresh))
    return nil
  }

  /// What to commit in one transaction now, most urgent class first; nil when nothing waits or a commit is under way.
  public mutating func nextCommit() -> [ItemRun]? {
    guard !isCommitting, !gathered.isEmpty else { return nil }
    isCommitting = true
    committingRun = run
    let runs = gathered.enumerated()
      .sorted { ($0.element.streamClass, $0.offset) < ($1.element.streamClass, $1.offset) }.map(\.element)
    gathered = []
    for run in runs { committing[run.streamClass] = run.epoch }
    return runs
  }

  /// The commit is durable: what to report stored; nothing when `hasOutrunHello` says so.
  public mutating func committed(_ runs: [ItemRun]) -> [StreamPosition] {
    isCommitting = false
    committing = [:]
    // Of each class the store is where the last run left it: an epoch before that is not in force any more.
    for run in runs { durable[run.streamClass, default: Durable(epoch: run.epoch)].take(run) }
    var stored: [StreamPosition] = []
    for streamClass in Set(runs.map(\.streamClass)).sorted() {
      guard let durable = durable[streamClass] else { continue }
      // The machine may have been made anew, from what the store held before the commit.
      var stream = streams[streamClass] ?? Stream(epoch: durable.epoch, watermark: 0, received: 0)
      guard stream.epoch == durable.epoch else { continue }
      stream.watermark = durable.through
      stream.received = max(stream.received, stream.watermark)
      streams[streamClass] = stream
      stored.append(StreamPosition(streamClass: streamClass, epoch: stream.epoch, through: stream.watermark))
    }
    guard committingRun.isEmpty || committingRun == run else {
      hasOutrunHello = true
      forgetUncommitted()
      return []
    }
    forgetCommitted()
    return stored
  }

  /// The commit failed (disk full, say): nothing was acknowledged; the session has to be closed and the items come again.
  public mutating func commitFailed() {
    isCommitting = false
    committing = [:]
    forgetUncommitted()
  }

  private mutating func adopt(_ streamClass: StreamClass, epoch: UInt64) {
    let stated = streams[streamClass]?.epoch
    guard stated != epoch else { return }
    let stream = begun(streamClass, epoch: epoch)
    streams[streamClass] = stream
    // The peer is back at the epoch that is still durable here, and our Hello stated the one that it had announced since.
    if stated != nil, stream.watermark > 0 { hasOutrunHello = true }
  }

  /// A stream of an epoch that is not the present one: a new one, or one that the store has not left yet and is not about to.
  private func begun(_ streamClass: StreamClass, epoch: UInt64) -> Stream {
    let isLeft =
      committing[streamClass].map { $0 != epoch } ?? false
      || gathered.contains { $0.streamClass == streamClass && $0.epoch != epoch }
    let through = durable[streamClass].map { $0.epoch == epoch && !isLeft ? $0.through : 0 } ?? 0
    return Stream(epoch: epoch, watermark: through, received: through)
  }

  /// Count anew what waits, without what a commit of the session before has brought meanwhile: whoever sends it again hears
  /// that it is stored, and has its window back.
  private mutating func forgetCommitted() {
    heldItems = [:]
    heldBytes = [:]
    for index in gathered.indices {
      let streamClass = gathered[index].streamClass
      if let stream = streams[streamClass], stream.epoch == gathered[index].epoch {
        gathered[index].items.removeAll { $0.skipThrough <= stream.watermark }
      }
      heldItems[streamClass, default: 0] += gathered[index].items.count
      heldBytes[streamClass, default: 0] += gathered[index].items.reduce(0) { $0 + $1.cost }
    }
    gathered.removeAll { $0.items.isEmpty }
  }

  private mutating func forgetUncommitted() {
    gathered = []
    heldItems = [:]
    heldBytes = [:]
    for (streamClass, stream) in streams { streams[streamClass]?.received = stream.watermark }
  }
}
