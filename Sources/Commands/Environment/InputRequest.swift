import Synchronization

/// Whether somebody still waits for a line of input.
final class InputRequest: Sendable {
  private let cancelled = Atomic(false)

  var isWanted: Bool { !cancelled.load(ordering: .acquiring) }

  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }
}
