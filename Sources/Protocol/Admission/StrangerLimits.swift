import LatchkeyModel

/// The limits for connections from peers that are not authenticated yet (Protocol/04-session.md
/// §1).
public struct StrangerLimits: Sendable {
  private var places: [String: Int] = [:]
  /// The number of unauthenticated connections at present.
  public private(set) var count = 0

  public init() {}

  /// Admits a connection from `source`, an address without its port, and returns `false` if a limit
  /// is reached.
  public mutating func admit(_ source: String) -> Bool {
    guard count < Limits.strangers, places[source, default: 0] < Limits.strangersPerSource else { return false }
    places[source, default: 0] += 1
    count += 1
    return true
  }

  /// Releases the place of an admitted connection; call this once for each.
  public mutating func release(_ source: String) {
    guard let taken = places[source] else { return }
    places[source] = taken > 1 ? taken - 1 : nil
    count -= 1
  }
}

/// The delay of attempts after wrong guesses: short for every source, longer for a source that
/// guessed wrong.
///
/// This only slows guessing down. The durable count of guesses against a code is kept elsewhere.
/// Spec: Protocol/03-pairing.md §7.
public struct PairingThrottle: Sendable {
  private struct Source {
    var failures: Int
    var last: BootInstant
  }

  /// The largest number of sources that are remembered; the one with the oldest failure goes first.
  static let sources = 256
  /// The time without another failure after which a source is forgotten, in milliseconds.
  static let forgivenMilliseconds: Int64 = 600_000

  private var lastFailure: BootInstant?
  private var known: [String: Source] = [:]

  public init() {}

  /// Records a wrong guess from a source, which is an address without its port.
  public mutating func failed(_ source: String, now: BootInstant) {
    lastFailure = now
    count(source, now)
  }

  /// Records that a source left an attempt before it had proved anything; this delays only that
  /// source.
  public mutating func abandoned(_ source: String, now: BootInstant) { count(source, now) }

  private mutating func count(_ source: String, _ now: BootInstant) {
    let before = known[source].flatMap { now - $0.last < Self.forgivenMilliseconds ? $0.failures : nil } ?? 0
    known[source] = Source(failures: before + 1, last: now)
    guard known.count > Self.sources,
      let oldest = known.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })?.key
    else { return }
    known[oldest] = nil
  }

  /// Returns the delay before an attempt from this source is handled, in milliseconds.
  public func wait(_ source: String, now: BootInstant) -> Int64 {
    var until = lastFailure.map { $0 + Limits.pairingPauseMilliseconds } ?? now
    if let source = known[source], now - source.last < Self.forgivenMilliseconds {
      let doublings = min(source.failures - 1, 8)
      let pause = min(Limits.pairingSourcePauseMilliseconds << doublings, Limits.longestPairingPauseMilliseconds)
      until = max(until, source.last + pause)
    }
    return max(0, until - now)
  }
}
