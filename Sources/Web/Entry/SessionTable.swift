import LatchkeyModel
import LatchkeyProtocol

/// The browsers that were let in.
///
/// A browser is known by its cookie, of which only the hash is kept. A form that changes something
/// carries the session's token as well, which no other site can read.
///
/// Spec: Protocol/15-pages.md §3.
struct SessionTable: Sendable {
  struct Session: Hashable, Sendable {
    /// What each form of the session carries.
    let token: String
    /// A sentence for the next page, about what a form has done.
    var word: PageWord?
    fileprivate let cookie: [UInt8]
    fileprivate var lastSeen: Int64
  }

  /// How long a session lasts that asks for nothing, in milliseconds.
  static let milliseconds: Int64 = 12 * 3_600_000
  /// The number of sessions; one more ends the one that was not seen for the longest time.
  static let most = 32
  /// The number of bytes of a cookie, and of a token.
  static let secretBytes = 24

  private var sessions: [Session] = []

  init() {}

  var count: Int { sessions.count }

  /// Lets a browser in with its cookie, and the token of its forms.
  mutating func add(cookie: String, token: String, now: Int64) {
    expire(now)
    if sessions.count == Self.most, let oldest = sessions.indices.min(by: { seen(at: $0) < seen(at: $1) }) {
      sessions.remove(at: oldest)
    }
    sessions.append(Session(token: token, word: nil, cookie: Self.hash(cookie), lastSeen: now))
  }

  /// Returns the session of a cookie, which is in use from now on; `nil` if there is none.
  mutating func session(cookie: String, now: Int64) -> Session? {
    expire(now)
    guard let index = index(of: cookie) else { return nil }
    sessions[index].lastSeen = now
    return sessions[index]
  }

  mutating func tell(_ word: PageWord, cookie: String) {
    if let index = index(of: cookie) { sessions[index].word = word }
  }

  /// Returns the sentence that was kept for a session, once.
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
  /// A Boolean value that indicates whether it was not done.
  var isFault: Bool
}
