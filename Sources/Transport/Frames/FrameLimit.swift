import LatchkeyModel
import Synchronization

/// The limits on a connection until the other side is authenticated.
///
/// They are lifted once, after the handshake.
///
/// Spec: Protocol/04-session.md §1.
package final class FrameLimit: Sendable {
  private let isLifted = Atomic(false)

  package init() {}

  /// A Boolean value that indicates whether the limits still apply.
  package var holds: Bool { !isLifted.load(ordering: .acquiring) }

  package func lift() {
    isLifted.store(true, ordering: .releasing)
  }
}
