import LatchkeyModel
import Synchronization

/// What was computed of committed facts, so that a long ledger is not read again for each session.
///
/// Facts only add up, so a value of the earlier ones and those that came since give the value of
/// all.
final class FactCache: Sendable {
  struct Place: Hashable {
    var child: ChildID
    var kind: FactKind
  }

  struct Entry: Sendable {
    /// The number of the last fact that the value includes.
    var last: Int64
    var count: Int64
    var value: any Sendable
  }

  private let entries = Mutex<[Place: Entry]>([:])

  subscript(place: Place) -> Entry? {
    get { entries.withLock { $0[place] } }
    set { entries.withLock { $0[place] = newValue } }
  }
}
