import LatchkeyModel
import Synchronization

/// Since when the node does not answer, for the pages that say so.
final class NodeAbsence: Sendable {
  private struct State {
    var since: Int64?
    var isParents = false
  }

  private let state = Mutex(State())

  /// Notes that the node has answered; `viewer` is who looks at it.
  func answered(_ viewer: Viewer) { state.withLock { $0 = State(since: nil, isParents: viewer == .parent) } }

  /// Returns what is said instead of a page, because the node does not answer; `nil` for another
  /// error.
  ///
  /// Paths and commands of the node are not a child's to read, nor those of somebody who is not
  /// known yet.
  ///
  /// - Parameters:
  ///   - error: What was thrown.
  ///   - now: Unix milliseconds.
  /// - Returns: The sentence, with the time at which it was seen first.
  func sentence(_ error: any Error, now: Int64) -> Phrase? {
    guard (error as? LocalAPIError)?.code == .timeout else { return nil }
    let (since, isParents) = state.withLock { state in
      state.since = min(state.since ?? now, now)
      return (state.since ?? now, state.isParents)
    }
    let time = ["time": Phrase.Argument.phrase(PageClock(now: now).moment(since))]
    return isParents
      ? Phrase(
        """
        Latchkey has not answered on this machine since {time}. This page tries again by itself; if that goes on, \
        `latchkey doctor` says why.
        """, time)
      : Phrase("Latchkey has not answered on this machine since {time}. This page tries again by itself.", time)
  }
}
