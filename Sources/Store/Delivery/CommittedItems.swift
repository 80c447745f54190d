import LatchkeyModel
import Synchronization

/// The items that a transaction has added to a stream, in the order of their numbers.
///
/// Their link sends them without reading them back from the database. It gets them only after the
/// transaction is durable. They are at most as many as are sent at once; a link loads the rest.
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
