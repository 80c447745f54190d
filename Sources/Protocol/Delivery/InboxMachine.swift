import LatchkeyModel

/// A state machine for the items from one peer: it drops known items, refuses gaps, and collects
/// the runs for the next commit.
///
/// A pure value. Spec: Protocol/05-delivery.md §6.
public struct InboxMachine: Sendable {
  private struct Stream {
    var epoch: UInt64
    /// The last number that is durable here.
    var watermark: UInt64
    var received: UInt64
  }

  /// The store's content of a stream.
  ///
  /// It belongs to the previous epoch until an item of the new epoch is committed.
  private struct Durable {
    var epoch: UInt64
    var through: UInt64 = 0
    var item: HeldItem?

    /// Applies the store's rule: another epoch starts from the beginning, and a number that is
    /// stored already changes nothing.
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
  public private(set) var isCommitting = false
  /// The epoch of each stream after the commit under way.
  private var committing: [StreamClass: UInt64] = [:]
  /// The process of the peer that last sent a Hello, and the process whose items are in the commit
  /// under way.
  private var run: [UInt8] = []
  private var committingRun: [UInt8] = []
  /// A Boolean value that indicates whether a new session is needed, since our Hello stated less
  /// than is durable.
  ///
  /// Either items of an earlier process of the peer were committed after the Hello, or the peer has
  /// returned to an epoch that it had left. It may have been restored to an older state in between,
  /// and may assign the same numbers to other items.
  public private(set) var hasOutrunHello = false
  private var heldItems: [StreamClass: Int] = [:]
  private var heldBytes: [StreamClass: Int] = [:]
  private var stated: [StreamPosition] = []
  private var durable: [StreamClass: Durable] = [:]

  public init(_ watermarks: [StreamPosition], held: [HeldItem] = []) {
    for watermark in watermarks {
      durable[watermark.streamClass] = Durable(
        epoch: watermark.epoch, through: watermark.through,
        item: held.first { $0.streamClass == watermark.streamClass })
      streams[watermark.streamClass] = Stream(
        epoch: watermark.epoch, watermark: watermark.through, received: watermark.through)
    }
  }

  /// Returns whether the store still has the streams that this machine expects, and not others that
  /// replaced them.
  public func agrees(with stored: [StreamPosition]) -> Bool {
    streams.allSatisfy { streamClass, stream in
      // A new epoch reaches the store with its first items.
      stream.watermark == 0 || stored.contains { $0.streamClass == streamClass && $0.epoch == stream.epoch }
    }
  }

  /// The positions of the received streams, for our Hello.
  public var statement: [StreamPosition] {
    streams.keys.sorted().compactMap { streamClass in
      streams[streamClass].map { StreamPosition(streamClass: streamClass, epoch: $0.epoch, through: $0.watermark) }
    }
  }

  /// The number of items that the peer announced at the beginning of the session, and that are not
  /// durable here yet.
  ///
  /// It is at most `Int64.max`, since a peer may announce any number.
  public var behind: UInt64 {
    let most = UInt64(Int64.max)
    return stated.reduce(0) { behind, position in
      guard let stream = streams[position.streamClass], stream.epoch == position.epoch,
        position.through > stream.watermark
      else { return behind }
      return min(most, behind + min(most, position.through - stream.watermark))
    }
  }

  /// The last item of each stream that is durable and not a skip, for our Hello.
  public var held: [HeldItem] {
    statement.compactMap { stated in
      guard let durable = durable[stated.streamClass], durable.epoch == stated.epoch, durable.through == stated.through
      else { return nil }
      return durable.item
    }
  }

  /// Takes over the epochs that the peer states when a session opens.
  ///
  /// From here on, numbers of its earlier epochs have no meaning.
  public mutating func sessionOpened(_ hello: Hello) {
    forgetUncommitted()
    run = hello.runID
    hasOutrunHello = false
    stated = hello.outgoing
    for position in hello.outgoing where position.epoch != 0 { adopt(position.streamClass, epoch: position.epoch) }
  }

  /// Discards what was not committed when a session ends; the peer sends it again.
  public mutating func sessionClosed() {
    stated = []
    hasOutrunHello = false
    forgetUncommitted()
  }

  /// Takes a run of items, and returns a position if it has to be reported at once.
  ///
  /// This is so if the run contains nothing new, since the peer then missed the earlier report. The
  /// function throws `SessionFault.violation`, the peer's fault, for a gap, and for more items than
  /// the window allows. `prepare` is called with the new items, if there are any.
  public mutating func received(
    _ run: ItemRun, prepare: (inout ItemRun) -> Void = { _ in }
  ) throws(SessionFault) -> StreamPosition? {
    // The first run of a stream that was created after the Hello states the epoch itself.
    var stream = streams[run.streamClass] ?? begun(run.streamClass, epoch: run.epoch)
    if run.epoch != stream.epoch {
      // A stream that restarts within the session begins at 1. Any other run belongs to the past.
      guard run.items.first?.sequence == 1, !isCommitting || stream.received == stream.watermark
      else { throw .violation("a run of another epoch") }
      stream = begun(run.streamClass, epoch: run.epoch)
    }
    var fresh: [DeliveryItem] = []
    fresh.reserveCapacity(run.items.count)
    var bytes = 0
    for item in run.items where item.skipThrough > stream.received {
      guard item.sequence <= stream.received + 1
      else { throw .violation("a gap after \(stream.received) in \(run.streamClass.word)") }
      stream.received = item.skipThrough
      bytes += item.cost
      fresh.append(item)
    }
    guard !fresh.isEmpty
    else { return StreamPosition(streamClass: run.streamClass, epoch: stream.epoch, through: stream.watermark) }
    let items = heldItems[run.streamClass, default: 0] + fresh.count
    bytes += heldBytes[run.streamClass, default: 0]
    // A load may exceed the window by one item.
    guard items <= Limits.windowItems, bytes <= Limits.windowBytes + 2 * Limits.itemBodyBytes
    else { throw .violation("more on the way than the window allows") }
    heldItems[run.streamClass] = items
    heldBytes[run.streamClass] = bytes
    streams[run.streamClass] = stream
    var new = ItemRun(streamClass: run.streamClass, epoch: run.epoch, items: fresh)
    prepare(&new)
    gathered.append(new)
    return nil
  }

  /// Returns the runs for the next commit, most urgent class first; `nil` if there are none or a
  /// commit is under way.
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

  /// Returns the positions to report as stored after a commit; none if `hasOutrunHello` is `true`.
  public mutating func committed(_ runs: [ItemRun]) -> [StreamPosition] {
    isCommitting = false
    committing = [:]
    // The store has the epoch of the last run of each class, and no earlier epochs.
    for run in runs { durable[run.streamClass, default: Durable(epoch: run.epoch)].take(run) }
    var stored: [StreamPosition] = []
    for streamClass in Set(runs.map(\.streamClass)).sorted() {
      guard let durable = durable[streamClass] else { continue }
      // The machine may have been created anew during the commit, from the store's state before it.
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

  /// Discards the commit that failed, on a full disk for example; the caller has to close the
  /// session, and the peer sends the items again.
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
    // The peer is back in the epoch that is durable here; our Hello stated the one in between.
    if stated != nil, stream.watermark > 0 { hasOutrunHello = true }
  }

  /// Returns a stream with another epoch than the present one: a new one, or the one in the store
  /// if no commit is about to replace it.
  private func begun(_ streamClass: StreamClass, epoch: UInt64) -> Stream {
    let isLeft =
      committing[streamClass].map { $0 != epoch } ?? false
      || gathered.contains { $0.streamClass == streamClass && $0.epoch != epoch }
    let through = durable[streamClass].map { $0.epoch == epoch && !isLeft ? $0.through : 0 } ?? 0
    return Stream(epoch: epoch, watermark: through, received: through)
  }

  /// Counts the waiting items again, without those that a commit for the previous session has
  /// stored.
  ///
  /// The stored items use none of the window any more, and are acknowledged if they arrive again.
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
