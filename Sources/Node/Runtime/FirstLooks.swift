import LatchkeyModel
import LatchkeySystem
import Synchronization

/// The looks at what a child's machine knew when its node started, which come before what peers
/// send is stored.
///
/// A child is told of an answer and of a rule as they arrive, and not of those that were known
/// before. The looks are made while the first session opens; peers wait for them for a moment at
/// most.
final class FirstLooks: Sendable {
  enum Look: Hashable, Sendable { case answers, rules }

  /// The longest wait after the start of the node, in milliseconds.
  private static let patience: Int64 = 250

  private let left: Mutex<Set<Look>>
  private let end: BootInstant
  private let changes = ChangeSignal()

  init(_ looks: Set<Look>, at now: BootInstant) {
    left = Mutex(looks)
    end = now + Self.patience
  }

  /// Records that a look was made, or that the database could not be read.
  func made(_ look: Look) {
    if left.withLock({ $0.remove(look) }) != nil { changes.notify() }
  }

  /// Waits until all looks are made.
  func wait() async {
    await changes.first(until: end) { left.withLock { $0.isEmpty } ? () : nil }
  }
}
