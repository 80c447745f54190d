import LatchkeyModel
import Synchronization

/// What the bridges of receivers do at present, in memory alone.
final class BridgeBoard: Sendable {
  /// The state of one bridge.
  struct Entry: Hashable {
    /// The streams of changes that it reads.
    var readers = 0
    /// What it says is wrong.
    var fault: String?
    /// Since when, in Unix milliseconds.
    var since: Int64?
  }

  private let entries = Mutex<[String: Entry]>([:])

  subscript(receiver: String) -> Entry { entries.withLock { $0[receiver] ?? Entry() } }

  /// Notes what a bridge says is wrong; `nil` for nothing.
  func note(_ fault: String?, of receiver: String, at wall: Int64) {
    entries.withLock { entries in
      var entry = entries[receiver] ?? Entry()
      if (fault == nil) != (entry.fault == nil) { entry.since = fault.map { _ in wall } }
      entry.fault = fault
      entries[receiver] = entry
    }
  }

  /// Forgets a receiver that was removed.
  func forget(_ receiver: String) { entries.withLock { $0[receiver] = nil } }

  /// Returns what counts a bridge as running for as long as it is kept.
  func reading(_ receiver: String) -> Reading { Reading(self, receiver) }

  /// A stream of changes that a bridge reads.
  final class Reading: Sendable {
    private let board: BridgeBoard
    private let receiver: String

    fileprivate init(_ board: BridgeBoard, _ receiver: String) {
      (self.board, self.receiver) = (board, receiver)
      board.entries.withLock { $0[receiver, default: Entry()].readers += 1 }
    }

    deinit {
      board.entries.withLock { entries in
        guard var entry = entries[receiver] else { return }
        entry.readers -= 1
        // Without its bridge, nobody knows what is wrong.
        if entry.readers <= 0 { entry = Entry() }
        entries[receiver] = entry
      }
    }
  }
}
