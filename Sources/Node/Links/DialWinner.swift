import Synchronization

/// Which of several tries at one peer is the first to be authenticated.
final class DialWinner: Sendable {
  private let chosen = Atomic(false)

  /// Whether one has won.
  var isChosen: Bool { chosen.load(ordering: .acquiring) }

  /// Win, if nobody has.
  func choose() -> Bool {
    chosen.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }
}
