import LatchkeyModel
import Synchronization

/// The items that a transaction has added to a stream, in the order of their numbers.
///
/// Their link sends them without reading them back from the database. The transaction adds them
/// before it is durable, and nobody looks at them until it is. If it added more than can be sent at
/// once, these are the first ones.
///
/// Spec: Protocol/05-delivery.md §4.
public final class CommittedItems: Sendable {
  private struct State {
    var items: [DeliveryItem] = []
    var bytes = 0
    var isComplete = false
  }

  private let state = Mutex(State())
  private static let mostItems = 512
  private static let mostBytes = 256 << 10

  /// The items; empty if a later job of the transaction may have deleted some.
  public var all: [DeliveryItem] { state.withLock { $0.items } }

  func add(_ item: DeliveryItem) {
    state.withLock { state in
      guard !state.isComplete else { return }
      let bytes = state.bytes + item.cost
      guard state.items.isEmpty || state.items.count < Self.mostItems && bytes <= Self.mostBytes else {
        state.isComplete = true
        return
      }
      state.items.append(item)
      state.bytes = bytes
    }
  }

  /// Leaves the items to be read, because a job of the transaction may have deleted some.
  func discard() {
    state.withLock { $0 = State(isComplete: true) }
  }
}
