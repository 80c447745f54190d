import LatchkeyModel
import LatchkeyProtocol
import LatchkeySystem
import Synchronization

/// The links and sessions of the process, for all connections.
final class WebDoor: Sendable {
  private struct State {
    var links = OneTimeLinks()
    var sessions = SessionTable()
    var last: LastPage
  }

  private let state: Mutex<State>
  /// The function that is called when a session is signed out, so that its open streams end.
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

  /// Uses a link up.
  ///
  /// Returns the result and the cookie of the new session.
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

  /// Sets the function that is called when a session is signed out.
  func whenSignedOut(_ body: @escaping @Sendable () -> Void) { onSignOut.withLock { $0 = body } }
  func tell(_ word: PageWord, _ cookie: String) { state.withLock { $0.sessions.tell(word, cookie: cookie) } }

  /// Returns the sentence that was kept for a session, and removes it.
  func takeWord(_ cookie: String) -> PageWord? { state.withLock { $0.sessions.takeWord(cookie: cookie) } }
  func openedStream() { state.withLock { $0.last.opened(Self.now) } }
  func closedStream() { state.withLock { $0.last.closed(Self.now) } }

  /// Returns the shortest time until the process may end, in milliseconds.
  func left(idle: Int64) -> Int64 { state.withLock { $0.last.left(Self.now, idle: idle) } }
}

/// The one-time links by which a browser is let in, each within a minute.
///
/// Only hashes of links are kept. Ten wrong links end all open links.
///
/// Spec: Protocol/15-pages.md §2.
struct OneTimeLinks: Sendable {
  /// The result of using a link.
  enum Outcome: Hashable, Sendable {
    case accepted
    /// The link was used, has expired, or was ended by wrong links.
    case over
    /// No such link was ever given.
    case unknown
  }

  /// The time for which a link may be used, in milliseconds.
  static let milliseconds: Int64 = 60_000
  /// The number of wrong links that ends the open links.
  static let mostWrong = 10
  /// The largest number of open links, and of remembered links that are over.
  static let most = 16
  static let secretBytes = 24

  private struct Link {
    var hash: [UInt8]
    var until: Int64
  }

  private var open: [Link] = []
  private var over: [[UInt8]] = []
  private var wrong = 0

  init() {}

  /// Opens a link.
  ///
  /// `now` is on the boot clock, in milliseconds.
  mutating func add(_ secret: String, now: Int64) {
    expire(now)
    if open.isEmpty { wrong = 0 }
    if open.count == Self.most { end(open.removeFirst().hash) }
    open.append(Link(hash: Self.hash(secret), until: now + Self.milliseconds))
  }

  mutating func use(_ secret: String, now: Int64) -> Outcome {
    expire(now)
    let hash = Self.hash(secret)
    // Hashes of secrets are compared. The time of the comparison reveals only parts of a hash,
    // which are of no use.
    if let index = open.firstIndex(where: { ConstantTime.areEqual($0.hash, hash) }) {
      end(open.remove(at: index).hash)
      return .accepted
    }
    if over.contains(where: { ConstantTime.areEqual($0, hash) }) { return .over }
    wrong += 1
    if wrong >= Self.mostWrong {
      for link in open { end(link.hash) }
      open = []
    }
    return .unknown
  }

  private mutating func expire(_ now: Int64) {
    for link in open where link.until <= now { end(link.hash) }
    open.removeAll { $0.until <= now }
  }

  private mutating func end(_ hash: [UInt8]) {
    if over.count == Self.most { over.removeFirst() }
    over.append(hash)
  }

  private static func hash(_ secret: String) -> [UInt8] { SHA256.hash([UInt8](secret.utf8)) }
}

/// The record of when the last page was closed.
///
/// The process may end ten minutes later.
///
/// A page with a script has a stream while it is visible, and sends a request now and then while it
/// is hidden. A page without a script counts as closed ten minutes after it was loaded.
struct LastPage: Hashable, Sendable {
  /// The time after the last page, in milliseconds.
  static let milliseconds: Int64 = 600_000

  private var streams = 0
  private var lastAt: Int64

  init(now: Int64) { lastAt = now }

  /// Notes that a page was loaded, or has asked for something.
  mutating func seen(_ now: Int64) { lastAt = max(lastAt, now) }

  mutating func opened(_ now: Int64) {
    streams += 1
    seen(now)
  }

  mutating func closed(_ now: Int64) {
    streams -= 1
    seen(now)
  }

  /// Returns the shortest time until the process may end; 0 or less if it may end now.
  func left(_ now: Int64, idle: Int64 = Self.milliseconds) -> Int64 { streams > 0 ? idle : lastAt + idle - now }
}

/// The sessions of browsers that were let in.
///
/// A browser is recognized by its cookie, of which only the hash is kept. A form that changes
/// something also carries the session's token, which no other site can read.
///
/// Spec: Protocol/15-pages.md §3.
struct SessionTable: Sendable {
  struct Session: Hashable, Sendable {
    /// The token that each form of the session carries.
    let token: String
    /// The sentence for the next page about what a form has done.
    var word: PageWord?
    fileprivate let cookie: [UInt8]
    fileprivate var lastSeen: Int64
  }

  /// The time after which a session without a request ends, in milliseconds.
  static let milliseconds: Int64 = 12 * 3_600_000
  /// The largest number of sessions.
  ///
  /// One more ends the session that was unused for the longest time.
  static let most = 32
  /// The size of a cookie, and of a token, in bytes.
  static let secretBytes = 24

  private var sessions: [Session] = []

  init() {}

  var count: Int { sessions.count }

  /// Adds the session of a browser with its cookie and the token of its forms.
  mutating func add(cookie: String, token: String, now: Int64) {
    expire(now)
    if sessions.count == Self.most, let oldest = sessions.indices.min(by: { seen(at: $0) < seen(at: $1) }) {
      sessions.remove(at: oldest)
    }
    sessions.append(Session(token: token, word: nil, cookie: Self.hash(cookie), lastSeen: now))
  }

  /// Returns the session of a cookie, and marks it as used now; `nil` if there is none.
  mutating func session(cookie: String, now: Int64) -> Session? {
    expire(now)
    guard let index = index(of: cookie) else { return nil }
    sessions[index].lastSeen = now
    return sessions[index]
  }

  mutating func tell(_ word: PageWord, cookie: String) {
    if let index = index(of: cookie) { sessions[index].word = word }
  }

  /// Returns the sentence that was kept for a session, and removes it.
  mutating func takeWord(cookie: String) -> PageWord? {
    guard let index = index(of: cookie) else { return nil }
    defer { sessions[index].word = nil }
    return sessions[index].word
  }

  mutating func remove(cookie: String) { if let index = index(of: cookie) { sessions.remove(at: index) } }
  private func seen(at index: Int) -> Int64 { sessions[index].lastSeen }

  private func index(of cookie: String) -> Int? {
    let hash = Self.hash(cookie)
    return sessions.firstIndex { ConstantTime.areEqual($0.cookie, hash) }
  }

  private mutating func expire(_ now: Int64) { sessions.removeAll { now - $0.lastSeen >= Self.milliseconds } }
  private static func hash(_ cookie: String) -> [UInt8] { SHA256.hash([UInt8](cookie.utf8)) }
}

/// A sentence about what a form has done, for the page after it.
struct PageWord: Hashable, Sendable {
  var sentences: [Phrase]
  /// A Boolean value that indicates whether the form was refused.
  var isFault: Bool
}
