import LatchkeyModel
import Synchronization

/// What a connection may cost before it has proved who it is; lifted once, by whoever verified the handshake.
///
/// Spec: Protocol/04-session.md §1.
package final class FrameLimit: Sendable {
  private let isLifted = Atomic(false)

  package init() {}

  /// Whether the other side is still a stranger.
  package var holds: Bool { !isLifted.load(ordering: .acquiring) }

  package func lift() {
    isLifted.store(true, ordering: .releasing)
  }
}
