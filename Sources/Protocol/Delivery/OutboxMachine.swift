import LatchkeyModel

/// A state machine for the items to one peer: which ones to load, send and delete.
///
/// A pure value. The items themselves stay in the store. Spec: Protocol/05-delivery.md §3 to §5.
public struct OutboxMachine: Sendable {
  /// A request to read up to `items` items and `bytes` bytes, beginning with number `from`, and to
  /// pass them to `loaded`.
  public struct Load: Hashable, Sendable {
    public var streamClass: StreamClass
    public var epoch: UInt64
    public var from: UInt64
    public var items: Int
    public var bytes: Int
    /// The count of sessions when the load was requested, which identifies answers that arrive in a
    /// later session.
    let session: UInt64
  }

  /// An instruction after the peer stated or reported its position.
  public enum Effect: Hashable, Sendable {
    /// Delete the items up to this position, durably, since the peer has stored them.
    case forget(StreamPosition)
    /// Give the rest of the stream a new epoch with numbers from 1, durably, then call `restarted`.
    ///
    /// The peer's history of the stream differs from ours, since one side was restored or erased.
    case restart(StreamClass, RestartCause)
  }

  private struct Stream {
    var position: OutboxPosition
    var sentThrough: UInt64
    var inFlight: [(through: UInt64, items: Int, bytes: Int)] = []
    var inFlightItems = 0
    var inFlightBytes = 0
    var isRestarting = false
    /// The process of the peer that reported its position to this process, if any.
    var storedBy: [UInt8]?

    /// The stream as it is when a session begins or ends.
    var unsent: Stream {
      var stream = Stream(position: position, sentThrough: position.storedThrough)
      stream.storedBy = storedBy
      return stream
    }

    var waits: Bool { sentThrough < position.last && !isRestarting }
  }

  private var streams: [StreamClass: Stream] = [:]
  private var window: (items: Int, bytes: Int)?
  private var isLoading = false
  /// The number of sessions that were opened.
  private(set) var session: UInt64 = 0
  /// The process of the peer that last sent a Hello, and the key of that session.
  private var run: [UInt8] = []
  private var turns = 0
  /// Positions in epochs that `restarted` has not announced yet.
  ///
  /// The store's two reports may arrive in either order.
  private var ahead: [StreamClass: (epoch: UInt64, last: UInt64)] = [:]
  private static let loadItems = 512
  private static let loadBytes = 256 << 10

  /// Creates a machine from the positions in the store; a class without a position has no stream
  /// yet.
  public init(_ positions: [StreamClass: OutboxPosition]) {
    for (streamClass, position) in positions {
      streams[streamClass] = Stream(position: position, sentThrough: position.storedThrough)
    }
  }

  package var positions: [StreamClass: OutboxPosition] { streams.mapValues(\.position) }

  /// Returns whether the store still has the streams that this machine expects, and not others that
  /// replaced them.
  public func agrees(with stored: [StreamClass: OutboxPosition]) -> Bool {
    streams.allSatisfy { stored[$0.key]?.epoch == $0.value.position.epoch }
  }

  /// The positions of the sent streams, for our Hello.
  public var statement: [StreamPosition] {
    streams.keys.sorted().compactMap { streamClass in
      streams[streamClass].map {
        StreamPosition(streamClass: streamClass, epoch: $0.position.epoch, through: $0.position.last)
      }
    }
  }

  /// Returns the classes in which the peer's Hello states a higher number than was assigned here;
  /// the peer has items that were lost here.
  public func exceeded(by hello: Hello) -> Set<StreamClass> {
    Set(
      hello.incoming.filter { held in
        streams[held.streamClass].map { $0.position.epoch == held.epoch && $0.position.last < held.through } ?? false
      }.map(\.streamClass))
  }

  /// The number of items that wait or are on their way.
  public var waiting: UInt64 { streams.values.reduce(0) { $0 + ($1.position.last - $1.position.storedThrough) } }

  public func inFlight(_ streamClass: StreamClass) -> Int { streams[streamClass]?.inFlightItems ?? 0 }

  /// The last number of each class that was sent in the open session; empty if there is none.
  public var sentThrough: [StreamClass: UInt64] { window == nil ? [:] : streams.mapValues(\.sentThrough) }

  /// Starts sending after the peer's Hello in a new session.
  ///
  /// `foreign` are the classes in which the peer's last item differs from the item with that number
  /// here, by the store's comparison with `hello.held`. This machine was then restored to an older
  /// state, and has assigned numbers twice. If `pairwiseKey` differs from the last session's, the
  /// devices may have been paired again and streams closed.
  public mutating func sessionOpened(
    _ hello: Hello, foreign: Set<StreamClass> = [], pairwiseKey: [UInt8] = []
  ) -> [Effect] {
    window = (Int(hello.windowItems), Int(hello.windowBytes))
    isLoading = false
    session &+= 1
    run = hello.runID + pairwiseKey
    var effects: [Effect] = []
    for streamClass in streams.keys.sorted() {
      guard var stream = streams[streamClass] else { continue }
      stream = stream.unsent
      // A process keeps what it has reported as stored. A Hello of the same process that states
      // less was created before the report.
      let isLate = stream.storedBy == run
      let held = hello.incoming.first { $0.streamClass == streamClass }
      if let held, held.epoch == stream.position.epoch {
        if held.through > stream.position.last || foreign.contains(streamClass) {
          stream.isRestarting = true
          effects.append(.restart(streamClass, .peerIsAhead))
        } else if held.through < stream.position.storedThrough {
          if !isLate {
            stream.isRestarting = true
            effects.append(.restart(streamClass, .peerLost(after: held.through)))
          }
        } else if held.through > stream.position.storedThrough {
          stream.position.storedThrough = held.through
          stream.sentThrough = held.through
          stream.storedBy = run
          effects.append(.forget(held))
        }
      } else if stream.position.storedThrough > 0, !isLate || (held?.epoch ?? 0) != 0 {
        // The peer once stored items of this epoch and no longer knows of it.
        stream.isRestarting = true
        effects.append(.restart(streamClass, .peerLost(after: 0, earlier: held.flatMap { $0.epoch == 0 ? nil : $0 })))
      }
      // The peer has lost what it reported. If the session ends before the restart, its next
      // statement is not an outdated one.
      if stream.isRestarting { stream.storedBy = nil }
      streams[streamClass] = stream
    }
    return effects
  }

  /// Marks everything that was not reported as stored for sending again, since the session has
  /// ended.
  public mutating func sessionClosed() {
    window = nil
    isLoading = false
    for (streamClass, stream) in streams { streams[streamClass] = stream.unsent }
  }

  /// Records that the peer ended a session because of a broken rule.
  ///
  /// A copy of this machine can cause this. The peer may have lost what it reported, so its next
  /// statement is not outdated.
  public mutating func peerObjected() { for streamClass in streams.keys { streams[streamClass]?.storedBy = nil } }

  /// Records that the store has made items up to `last` durable.
  public mutating func committed(_ streamClass: StreamClass, epoch: UInt64, last: UInt64) {
    guard var stream = streams[streamClass] else {
      streams[streamClass] = Stream(
        position: OutboxPosition(epoch: epoch, storedThrough: 0, last: last), sentThrough: 0)
      return
    }
    guard stream.position.epoch == epoch else {
      let known = ahead[streamClass].map { $0.epoch == epoch ? $0.last : 0 } ?? 0
      ahead[streamClass] = (epoch, max(last, known))
      return
    }
    guard last > stream.position.last else { return }
    stream.position.last = last
    streams[streamClass] = stream
  }

  /// Returns whether the machine knows a stream with its epoch.
  public func knows(_ streamClass: StreamClass, epoch: UInt64) -> Bool {
    streams[streamClass]?.position.epoch == epoch
  }

  /// Returns whether everything up to a number was sent in the open session.
  public func hasSent(_ streamClass: StreamClass, epoch: UInt64, through last: UInt64) -> Bool {
    guard window != nil, let stream = streams[streamClass] else { return false }
    return stream.position.epoch == epoch && stream.sentThrough >= last
  }

  /// Takes items that were just made durable, and returns the run to send; `nil` if they have to be
  /// loaded because others go first or there is no room for them.
  public mutating func handed(_ streamClass: StreamClass, epoch: UInt64, _ items: [DeliveryItem]) -> ItemRun? {
    guard let window, !isLoading, let stream = streams[streamClass], stream.position.epoch == epoch,
      !stream.isRestarting, !streams.contains(where: { $0.key != streamClass && $0.value.waits }),
      let first = items.first?.sequence, first <= stream.sentThrough + 1
    else { return nil }
    let next = items.dropFirst(Int(clamping: stream.sentThrough + 1 - first))
    var (count, bytes) = (0, 0)
    for item in next {
      guard stream.inFlightItems + count < window.items, stream.inFlightBytes + bytes < window.bytes else { break }
      count += 1
      bytes += item.cost
    }
    return send(streamClass, Array(next.prefix(count)))
  }

  /// Records that items, which follow what was sent before, are sent; returns their run.
  private mutating func send(_ streamClass: StreamClass, _ items: [DeliveryItem]) -> ItemRun? {
    guard var stream = streams[streamClass], let last = items.last else { return nil }
    let bytes = items.reduce(0) { $0 + $1.cost }
    stream.sentThrough = last.skipThrough
    // The store may have newer items than it has reported.
    stream.position.last = max(stream.position.last, last.skipThrough)
    stream.inFlight.append((last.skipThrough, items.count, bytes))
    stream.inFlightItems += items.count
    stream.inFlightBytes += bytes
    streams[streamClass] = stream
    return ItemRun(streamClass: streamClass, epoch: stream.position.epoch, items: items)
  }

  public mutating func restarted(_ streamClass: StreamClass, _ position: OutboxPosition) {
    var position = position
    if let news = ahead.removeValue(forKey: streamClass), news.epoch == position.epoch {
      position.last = max(position.last, news.last)
    }
    streams[streamClass] = Stream(position: position, sentThrough: position.storedThrough)
  }

  /// Removes every stream that the store has closed.
  public mutating func drop(allBut kept: Set<StreamClass>) {
    for streamClass in StreamClass.allCases where !kept.contains(streamClass) {
      streams[streamClass] = nil
      ahead[streamClass] = nil
    }
  }

  /// Returns the next load; `nil` if no items wait, the window is full, or a load is under way.
  public mutating func nextLoad() -> Load? {
    guard let window, !isLoading else { return nil }
    let open = streams.keys.sorted().filter { streamClass in
      guard let stream = streams[streamClass], stream.waits else { return false }
      return stream.inFlightItems < window.items && stream.inFlightBytes < window.bytes
    }
    // Urgent classes first, but each eighth turn is the least urgent one's, so that none starves.
    guard let streamClass = (turns + 1).isMultiple(of: 8) ? open.last : open.first, let stream = streams[streamClass]
    else { return nil }
    turns &+= 1
    isLoading = true
    return Load(
      streamClass: streamClass, epoch: stream.position.epoch, from: stream.sentThrough + 1,
      items: min(Self.loadItems, window.items - stream.inFlightItems),
      bytes: min(Self.loadBytes, window.bytes - stream.inFlightBytes), session: session)
  }

  /// Returns whether a load was requested in the open session and would be requested in the same
  /// way now.
  public func isPresent(_ load: Load) -> Bool {
    guard load.session == session, let stream = streams[load.streamClass] else { return false }
    return stream.position.epoch == load.epoch && stream.sentThrough + 1 == load.from && stream.waits
  }

  /// Returns the run to send for a load, whose items are consecutive from `load.from`; `nil` if the
  /// answer came too late.
  public mutating func loaded(_ load: Load, _ items: [DeliveryItem]) -> ItemRun? {
    guard load.session == session else { return nil }
    isLoading = false
    guard window != nil, let stream = streams[load.streamClass], stream.position.epoch == load.epoch,
      !stream.isRestarting, load.from == stream.sentThrough + 1
    else { return nil }
    return send(load.streamClass, items)
  }

  /// Takes the peer's report of what it has stored; throws `SessionFault.violation`, the peer's
  /// fault, if the position exceeds the last number.
  public mutating func received(stored: StreamPosition) throws(SessionFault) -> Effect? {
    guard var stream = streams[stored.streamClass], stream.position.epoch == stored.epoch, !stream.isRestarting
    else { return nil }
    // After its session broke off, the peer may have stored items not sent again in this one.
    guard stored.through <= stream.position.last else { throw .violation("stored more than there is") }
    guard stored.through > stream.position.storedThrough else { return nil }
    stream.position.storedThrough = stored.through
    stream.storedBy = run
    stream.sentThrough = max(stream.sentThrough, stored.through)
    while let first = stream.inFlight.first, first.through <= stored.through {
      stream.inFlight.removeFirst()
      stream.inFlightItems -= first.items
      stream.inFlightBytes -= first.bytes
    }
    streams[stored.streamClass] = stream
    return .forget(stored)
  }
}
