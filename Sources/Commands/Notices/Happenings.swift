import LatchkeyNode
import LatchkeySystem
import Synchronization

/// What a notifier has to handle, in turn.
final class Happenings: Sendable {
  enum Happening: Sendable {
    /// A child is told something.
    case notice(ChildNotice)
    /// Parents may have something to be told.
    case news
    case desktop(NotificationService.Event)
  }

  let all: AsyncStream<Happening>
  private let adder: AsyncStream<Happening>.Continuation
  /// Whether a look at the news is due already.
  private let isDue = Mutex(false)
  private let complaint = Mutex("")

  init() { (all, adder) = AsyncStream.makeStream() }

  func add(_ happening: Happening) { adder.yield(happening) }

  /// Adds a look at the news, once for all changes until it begins.
  func addNews() {
    if isDue.withLock({ isDue in
      defer { isDue = true }
      return !isDue
    }) {
      adder.yield(.news)
    }
  }

  /// Notes that a look at the news begins.
  func beginNews() { isDue.withLock { $0 = false } }

  /// Says what keeps notices from being shown, once however often it is tried.
  func complain(_ error: any Error) {
    let sentence =
      TerminalFailure(error)?.sentence ?? (error as? NotificationFault).flatMap { TerminalFailure($0).sentence }
      ?? "\(error)"
    let isNew = complaint.withLock { last in
      defer { last = sentence }
      return last != sentence
    }
    if isNew { TerminalEnvironment.current.console.note("latchkey: " + ShownText.safe(sentence)) }
  }

  /// Notes that all is well, so that the next failure is said again.
  func forgetComplaint() { complaint.withLock { $0 = "" } }
}
