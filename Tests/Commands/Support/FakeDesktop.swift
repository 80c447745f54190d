import LatchkeySystem
import Synchronization

@testable import LatchkeyCommands

/// A desktop that notes what is shown, and on which a test presses.
final class FakeDesktop: NotificationDesktop {
  /// What was done on it.
  enum Deed: Hashable, Sendable {
    case shown(DesktopNotification, replacing: NotificationID?)
    case withdrawn(NotificationID)
  }

  private struct State {
    var generation = 0
    var last: UInt32 = 0
    var capabilities: Set<String>
    var isAway = false
  }

  private let state: Mutex<State>
  let events: AsyncStream<NotificationService.Event>
  private let reporter: AsyncStream<NotificationService.Event>.Continuation
  /// Everything that is done on it, in turn.
  let deeds: AsyncStream<Deed>
  private let done: AsyncStream<Deed>.Continuation

  init(_ capabilities: Set<String> = ["actions", "body"]) {
    state = Mutex(State(capabilities: capabilities))
    (events, reporter) = AsyncStream.makeStream()
    (deeds, done) = AsyncStream.makeStream()
  }

  /// Reports what happens on it.
  func report(_ event: NotificationService.Event) { reporter.yield(event) }

  /// Ends its service.
  func leave() { state.withLock { $0.isAway = true } }

  /// Starts another service in the place of the one before.
  func comeBack() {
    let generation = state.withLock { state in
      state.isAway = false
      state.generation += 1
      return state.generation
    }
    report(.replaced(by: generation))
  }

  func capabilities() throws(NotificationFault) -> Set<String> { state.withLock { $0.capabilities } }

  func show(
    _ notification: DesktopNotification, replacing old: NotificationID?
  ) throws(NotificationFault) -> NotificationID {
    let id: NotificationID? = state.withLock { state in
      if state.isAway { return nil }
      if let old, old.generation == state.generation { return old }
      state.last += 1
      return NotificationID(state.generation, state.last)
    }
    guard let id else { throw NotificationFault(reason: "it is away") }
    done.yield(.shown(notification, replacing: old))
    return id
  }

  func withdraw(_ notification: NotificationID) { done.yield(.withdrawn(notification)) }

  func owner() -> NotificationService.Owner? { NotificationService.Owner(name: ":1.7", generation: 0) }
}
