import Synchronization

/// The remaining work, from which idle workers take the next part.
final class FaultQueue: Sendable {
  private let faults: Mutex<[LinkFault]>

  /// Begin with these; the first is taken first.
  init(_ faults: [LinkFault]) { self.faults = Mutex(faults) }

  /// Take one; nil when none is left.
  func next() -> LinkFault? {
    faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
