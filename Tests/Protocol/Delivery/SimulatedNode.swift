import LatchkeyModel
import LatchkeyProtocol

/// One side of a simulation: a store that lasts, and machines and errands that a crash takes.
struct SimulatedNode: Sendable {
  /// Something that was asked of the store, or of a machine, and is still going on.
  enum Errand: Sendable {
    case forget(StreamPosition)
    case restart(StreamClass)
    case tellRestarted(StreamClass, OutboxPosition)
  }

  var store: SimulatedStore
  /// How often its process was started.
  private var starts: UInt8 = 1
  var outbox: OutboxMachine
  var inbox: InboxMachine
  /// The number of the connection it believes to have.
  var connection: Int?
  /// Whether the peer's Hello is in.
  var isOpen = false
  var load: OutboxMachine.Load?
  var commit: (runs: [ItemRun], isDurable: Bool)?
  var errands: [Errand] = []
  /// Streams with new items, which the outbox has not heard of yet.
  var news: [(streamClass: StreamClass, epoch: UInt64, last: UInt64)] = []
  let windowItems: UInt32
  let windowBytes: UInt32
  /// Of the items sent over this connection, those that were not reported stored: the peer's window by our own count.
  var onTheWay: [StreamClass: [DeliveryItem]] = [:]
  var sendingEpochs: [StreamClass: UInt64] = [:]

  init(store: SimulatedStore, windowItems: UInt32, windowBytes: UInt32) {
    self.store = store
    self.windowItems = windowItems
    self.windowBytes = windowBytes
    outbox = OutboxMachine(store.outboxPositions)
    inbox = InboxMachine(store.inboxPositions)
  }

  /// Be killed and started anew on what the store holds.
  mutating func crash(restoring store: SimulatedStore? = nil) {
    let starts = starts &+ 1
    self = SimulatedNode(store: store ?? self.store, windowItems: windowItems, windowBytes: windowBytes)
    self.starts = starts
  }

  var hello: Hello {
    Hello(
      runID: [UInt8](repeating: starts, count: 16), name: "n", role: .child, windowItems: windowItems,
      windowBytes: windowBytes,
      outgoing: outbox.statement, incoming: inbox.statement)
  }

  mutating func disconnect() {
    guard connection != nil else { return }
    connection = nil
    isOpen = false
    onTheWay = [:]
    outbox.sessionClosed()
    inbox.sessionClosed()
  }

  mutating func add(_ effects: [OutboxMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .forget(let position): errands.append(.forget(position))
      case .restart(let streamClass, _): errands.append(.restart(streamClass))
      }
    }
  }
}
