/// Wakes the one who waits when something has changed; a change between two looks is never missed.
final class SimulatedSignal {
  private unowned let node: SimulatedNode
  private var waiter: (() -> Void)?
  private var waits = 0
  /// How many changes there were.
  private(set) var version = 0

  init(_ node: SimulatedNode) {
    self.node = node
  }

  func notify() {
    version += 1
    guard let waiting = waiter else { return }
    waiter = nil
    waits += 1
    node.act(after: 1, waiting)
  }

  /// Go on when there was a change after a look, or time has gone by.
  func wait(after look: Int, milliseconds: Int64? = nil, _ go: @escaping () -> Void) {
    guard version == look else { return node.act(after: 1, go) }
    waiter = go
    waits += 1
    let number = waits
    guard let milliseconds else { return }
    node.act(after: max(1, milliseconds * 1_000)) { [weak self] in
      guard let self, waits == number, let waiting = waiter else { return }
      waiter = nil
      waits += 1
      waiting()
    }
  }

  /// Nobody waits any more.
  func forget() {
    waiter = nil
  }
}
