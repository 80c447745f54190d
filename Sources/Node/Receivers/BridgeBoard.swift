import LatchkeyModel
import Synchronization

/// What the bridges of receivers do at present, in memory alone.
final class BridgeBoard: Sendable {
  struct Entry: Hashable {
    /// The streams of changes that it reads.
    var readers = 0
    var fault: String?
    /// Since when, in Unix milliseconds.
    var since: Int64?
  }

  /// What has happened since the node started, at all receivers together.
  struct Counts: Hashable {
    /// The notices that receivers were told.
    var told = 0
    /// The notices that bridges have given up.
    var dropped = 0
    /// The times that something began to be wrong.
    var faults = 0
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let numbers = Mutex(Counts())

  subscript(receiver: String) -> Entry { entries.withLock { $0[receiver] ?? Entry() } }

  func note(_ fault: String?, of receiver: String, at wall: Int64) {
    entries.withLock { entries in
      var entry = entries[receiver] ?? Entry()
      if (fault == nil) != (entry.fault == nil) { entry.since = fault.map { _ in wall } }
      if entry.fault == nil, fault != nil { numbers.withLock { $0.faults += 1 } }
      entry.fault = fault
      entries[receiver] = entry
    }
  }

  var counts: Counts { numbers.withLock { $0 } }

  /// Notes that a receiver was told some notices, some of which its bridge has given up.
  func told(_ count: Int, dropped: Int) {
    numbers.withLock { numbers in
      numbers.told += max(0, count - dropped)
      numbers.dropped += dropped
    }
  }

  func forget(_ receiver: String) { entries.withLock { $0[receiver] = nil } }

  /// Returns what counts a bridge as running for as long as it is kept.
  func reading(_ receiver: String) -> Reading { Reading(self, receiver) }

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
