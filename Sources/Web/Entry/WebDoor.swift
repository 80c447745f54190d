import LatchkeyModel
import LatchkeyProtocol
import LatchkeySystem
import Synchronization

/// Who is let in at present, for all connections.
final class WebDoor: Sendable {
  private struct State {
    var links = OneTimeLinks()
    var sessions = SessionTable()
    var last: LastPage
  }

  private let state: Mutex<State>
  /// Called when somebody signs out, so that the open streams of the session end.
  private let onSignOut = Mutex<(@Sendable () -> Void)?>(nil)

  init() { state = Mutex(State(last: LastPage(now: Self.now))) }

  private static var now: Int64 { SystemClock.boot.milliseconds }

  /// Opens a one-time link, and returns its secret.
  func makeLink() -> String {
    let secret = Hexadecimal.encode(SecureRandom.bytes(OneTimeLinks.secretBytes))
    state.withLock { state in
      state.links.add(secret, now: Self.now)
      state.last.seen(Self.now)
    }
    return secret
  }

  /// Uses a link up; returns what became of it and, if it is accepted, the cookie of the new
  /// session.
  func use(link: String) -> (outcome: OneTimeLinks.Outcome, cookie: String?) {
    let (cookie, token) = (
      Hexadecimal.encode(SecureRandom.bytes(SessionTable.secretBytes)),
      Hexadecimal.encode(SecureRandom.bytes(SessionTable.secretBytes))
    )
    return state.withLock { state in
      let outcome = state.links.use(link, now: Self.now)
      guard outcome == .accepted else { return (outcome, nil) }
      state.sessions.add(cookie: cookie, token: token, now: Self.now)
      state.last.seen(Self.now)
      return (outcome, cookie)
    }
  }

  /// Returns the session of a cookie; `nil` if there is none.
  func session(_ cookie: String) -> SessionTable.Session? {
    state.withLock { state in
      guard let session = state.sessions.session(cookie: cookie, now: Self.now) else { return nil }
      state.last.seen(Self.now)
      return session
    }
  }

  /// Ends the session of a cookie, and its streams.
  func signOut(_ cookie: String) {
    state.withLock { $0.sessions.remove(cookie: cookie) }
    onSignOut.withLock { $0 }?()
  }

  /// Sets what is called when somebody signs out.
  func whenSignedOut(_ body: @escaping @Sendable () -> Void) { onSignOut.withLock { $0 = body } }

  /// Keeps a sentence for the next page of a session.
  func tell(_ word: PageWord, _ cookie: String) { state.withLock { $0.sessions.tell(word, cookie: cookie) } }

  /// Returns the sentence that was kept for a session, once.
  func takeWord(_ cookie: String) -> PageWord? { state.withLock { $0.sessions.takeWord(cookie: cookie) } }

  /// Notes that a page has opened its stream.
  func openedStream() { state.withLock { $0.last.opened(Self.now) } }

  /// Notes that the stream of a page has ended.
  func closedStream() { state.withLock { $0.last.closed(Self.now) } }

  /// Returns how many milliseconds it lasts at least until the process may end.
  func left(idle: Int64) -> Int64 { state.withLock { $0.last.left(Self.now, idle: idle) } }
}
