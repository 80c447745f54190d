import LatchkeyProtocol

/// The links by which a browser is let in: each once, within a minute.
///
/// Only hashes of links are kept. Ten wrong links end all that are open, so that nobody can try
/// many.
///
/// Spec: Protocol/15-pages.md §2.
struct OneTimeLinks: Sendable {
  /// What became of a link that a browser brought.
  enum Outcome: Hashable, Sendable {
    case accepted
    /// It was used or has expired, or wrong ones have ended it.
    case over
    /// There was never such a link.
    case unknown
  }

  /// How long a link may be used, in milliseconds.
  static let milliseconds: Int64 = 60_000
  /// The number of wrong links that ends the open ones.
  static let mostWrong = 10
  /// The number of links that can be open, and of those that are remembered as over.
  static let most = 16
  /// The number of bytes of a link's secret.
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
  /// - Parameters:
  ///   - secret: The link's text, which nobody else has.
  ///   - now: The time on the boot clock, in milliseconds.
  mutating func add(_ secret: String, now: Int64) {
    expire(now)
    if open.isEmpty { wrong = 0 }
    if open.count == Self.most { end(open.removeFirst().hash) }
    open.append(Link(hash: Self.hash(secret), until: now + Self.milliseconds))
  }

  /// Uses a link up.
  ///
  /// - Parameters:
  ///   - secret: What a browser brought.
  ///   - now: The time on the boot clock, in milliseconds.
  /// - Returns: Whether the browser is let in.
  mutating func use(_ secret: String, now: Int64) -> Outcome {
    expire(now)
    let hash = Self.hash(secret)
    // Hashes of secrets: what the time of a comparison tells about a hash is of no use.
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
