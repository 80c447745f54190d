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

  private let left: Mutex<Set<Look>>
  private let patience: Int64
  /// The end of all waits, which the first of them sets.
  private let end = Mutex<BootInstant?>(nil)
  private let changes = ChangeSignal()

  /// Creates looks that are to be made, for which peers wait so many milliseconds in all.
  init(_ looks: Set<Look>, patience: Int64 = 250) {
    left = Mutex(looks)
    self.patience = patience
  }

  /// Records that a look was made, or that the database could not be read.
  func made(_ look: Look) {
    if left.withLock({ $0.remove(look) }) != nil { changes.notify() }
  }

  /// Waits until all looks are made.
  ///
  /// A machine that starts slowly makes them late, so the time counts from the first wait on.
  func wait() async {
    let end = end.withLock { end in
      if end == nil { end = BootClock.now() + patience }
      return end
    }
    await changes.first(until: end) { left.withLock { $0.isEmpty } ? () : nil }
  }
}
