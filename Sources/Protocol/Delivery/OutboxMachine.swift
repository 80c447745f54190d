import LatchkeyModel

/// What goes out to one peer: which items to load, send, and forget. Pure values; the items themselves stay in the store.
///
/// Spec: Protocol/05-delivery.md §3 to §5.
public struct OutboxMachine: Sendable {
  /// Read up to `items` items and `bytes` bytes, from number `from` on, and give them to `loaded`.
  public struct Load: Hashable, Sendable {
    public var streamClass: StreamClass
    public var epoch: UInt64
    public var from: UInt64
    public var items: Int
    public var bytes: Int
    /// Counts sessions, so that the answer to a load of an earlier one is told apart.
    let session: UInt64
  }

  /// What to do after the peer stated or reported what it holds.
  public enum Effect: Hashable, Sendable {
    /// Everything up to here is stored by the peer: mark and forget it, durably.
    case forget(StreamPosition)
    /// The peer holds another past of this stream than we do (one side was restored or wiped): give what is left a new epoch
    /// and numbers from 1, durably, then call `restarted`.
    case restart(StreamClass, RestartCause)
  }

  private struct Stream {
    var position: OutboxPosition
    var sentThrough: UInt64
    var inFlight: [(through: UInt64, items: Int, bytes: Int)] = []
    var inFlightItems = 0
    var inFlightBytes = 0
    var isRestarting = false
    /// The peer's process that reported what is stored, if it did so to this one.
    var storedBy: [UInt8]?

    /// As it is when a session begins or ends.
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
  /// Counts the sessions that were opened.
  private(set) var session: UInt64 = 0
  /// The peer's process that said Hello last, and the key that it did so with.
  private var run: [UInt8] = []
  private var turns = 0
  /// News of epochs that `restarted` has not told of yet: the store's two words may come in either order.
  private var ahead: [StreamClass: (epoch: UInt64, last: UInt64)] = [:]
  /// Items one load asks for at most.
  private static let loadItems = 512
  private static let loadBytes = 256 << 10

  /// Begin with what the store holds; a class that is missing has no stream yet.
  public init(_ positions: [StreamClass: OutboxPosition]) {
    for (streamClass, position) in positions {
      streams[streamClass] = Stream(position: position, sentThrough: position.storedThrough)
    }
  }

  /// Where each stream is, as far as is known here.
  package var positions: [StreamClass: OutboxPosition] { streams.mapValues(\.position) }

  /// Whether the store holds the streams that are counted on here, or has closed them and perhaps begun others.
  public func agrees(with stored: [StreamClass: OutboxPosition]) -> Bool {
    streams.allSatisfy { stored[$0.key]?.epoch == $0.value.position.epoch }
  }

  /// What our Hello states about the streams we send.
  public var statement: [StreamPosition] {
    streams.keys.sorted().compactMap { streamClass in
      streams[streamClass].map {
        StreamPosition(streamClass: streamClass, epoch: $0.position.epoch, through: $0.position.last)
      }
    }
  }

  /// Returns the classes of which the peer's Hello states more than has a number here: it has items that were lost here.
  public func exceeded(by hello: Hello) -> Set<StreamClass> {
    Set(
      hello.incoming.filter { held in
        streams[held.streamClass].map { $0.position.epoch == held.epoch && $0.position.last < held.through } ?? false
      }.map(\.streamClass))
  }

  /// Items that wait or are on their way.
  public var waiting: UInt64 {
    streams.values.reduce(0) { $0 + ($1.position.last - $1.position.storedThrough) }
  }

  /// Items on their way in one class.
  public func inFlight(_ streamClass: StreamClass) -> Int { streams[streamClass]?.inFlightItems ?? 0 }

  /// The last number sent of each class in the session that is open; nothing while there is none.
  public var sentThrough: [StreamClass: UInt64] { window == nil ? [:] : streams.mapValues(\.sentThrough) }

  /// A session is open and the peer's Hello is in.
  ///
  /// - Parameter foreign: classes whose last item at the peer is another than the one that we gave that number, by what the
  ///   store says of `hello.held`: we were restored to an older state and have given out numbers a second time.
  /// - Parameter pairwiseKey: the session's; with another one the two may have been paired anew, and streams closed.
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
      // What a process has reported stored it has: a Hello of the same one that says less was made before that.
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
        // The peer once stored something of this epoch and now knows nothing of it.
        stream.isRestarting = true
        effects.append(.restart(streamClass, .peerLost(after: 0, earlier: held.flatMap { $0.epoch == 0 ? nil : $0 })))
      }
      // The peer has left what it had reported: should the session end before the restart, its next word on it is no late one.
      if stream.isRestarting { stream.storedBy = nil }
      streams[streamClass] = stream
    }
    return effects
  }

  /// The session is gone: everything not reported stored will be sent again.
  public mutating func sessionClosed() {
    window = nil
    isLoading = false
    for (streamClass, stream) in streams {
      streams[streamClass] = stream.unsent
    }
  }

  /// The peer has ended a session because of a broken rule: it may have left what it had reported, and what it says next is no
  /// late word. A copy of this machine can bring that about.
  public mutating func peerObjected() {
    for streamClass in streams.keys { streams[streamClass]?.storedBy = nil }
  }

  /// The store has made items up to `last` durable.
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

  /// The store has given a stream a new epoch.
  public mutating func restarted(_ streamClass: StreamClass, _ position: OutboxPosition) {
    var position = position
    if let news = ahead.removeValue(forKey: streamClass), news.epoch == position.epoch {
      position.last = max(position.last, news.last)
    }
    streams[streamClass] = Stream(position: position, sentThrough: position.storedThrough)
  }

  /// The store has closed every stream but these.
  public mutating func drop(allBut kept: Set<StreamClass>) {
    for streamClass in StreamClass.allCases where !kept.contains(streamClass) {
      streams[streamClass] = nil
      ahead[streamClass] = nil
    }
  }

  /// What to load next; nil when nothing waits, the window is full, or a load is under way.
  public mutating func nextLoad() -> Load? {
    guard let window, !isLoading else { return nil }
    let open = streams.keys.sorted().filter { streamClass in
      guard let stream = streams[streamClass], stream.waits else { return false }
      return stream.inFlightItems < window.items && stream.inFlightBytes < window.bytes
    }
    // Urgent classes first, but every eighth turn is the least urgent one's, so that none starves.
    guard let streamClass = (turns + 1).isMultiple(of: 8) ? open.last : open.first, let stream = streams[streamClass]
    else { return nil }
    turns &+= 1
    isLoading = true
    return Load(
      streamClass: streamClass, epoch: stream.position.epoch, from: stream.sentThrough + 1,
      items: min(Self.loadItems, window.items - stream.inFlightItems),
      bytes: min(Self.loadBytes, window.bytes - stream.inFlightBytes), session: session)
  }

  /// Whether a load was asked for in the session that is open, and would be asked for in the same way now.
  public func isPresent(_ load: Load) -> Bool {
    guard load.session == session, let stream = streams[load.streamClass] else { return false }
    return stream.position.epoch == load.epoch && stream.sentThrough + 1 == load.from && stream.waits
  }

  /// The store's answer to a load: items in a row from `load.from`; gives the run to send, nil when it came too late.
  public mutating func loaded(_ load: Load, _ items: [DeliveryItem]) -> ItemRun? {
    guard load.session == session else { return nil }
    isLoading = false
    guard window != nil, var stream = streams[load.streamClass], stream.position.epoch == load.epoch,
      !stream.isRestarting, load.from == stream.sentThrough + 1, let last = items.last
    else { return nil }
    let bytes = items.reduce(0) { $0 + $1.cost }
    stream.sentThrough = last.skipThrough
    // The store may be ahead of the news of what it took.
    stream.position.last = max(stream.position.last, last.skipThrough)
    stream.inFlight.append((last.skipThrough, items.count, bytes))
    stream.inFlightItems += items.count
    stream.inFlightBytes += bytes
    streams[load.streamClass] = stream
    return ItemRun(streamClass: load.streamClass, epoch: load.epoch, items: items)
  }

  /// The peer reports what it has stored.
  ///
  /// - Throws: `SessionFault.violation` when it reports more than there is: the peer's fault.
  public mutating func received(stored: StreamPosition) throws(SessionFault) -> Effect? {
    guard var stream = streams[stored.streamClass], stream.position.epoch == stored.epoch, !stream.isRestarting else {
      return nil
    }
    // It may have stored, after its session broke off, what has not been sent again in this one.
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
