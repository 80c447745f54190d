import Synchronization

/// What is left to be done, taken by whoever is free.
final class FaultQueue: Sendable {
  private let faults: Mutex<[LinkFault]>

  /// Begin with these; the first is taken first.
  init(_ faults: [LinkFault]) { self.faults = Mutex(faults) }

  /// Take one; nil when none is left.
  func next() -> LinkFault? {
    faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
