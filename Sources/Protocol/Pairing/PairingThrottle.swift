import LatchkeyModel

/// How long an attempt has to wait after wrong ones: a little for everybody, longer for a source that was wrong.
///
/// What is counted against a code is durable elsewhere; this only slows guessing down. Spec: Protocol/03-pairing.md §7.
public struct PairingThrottle: Sendable {
  private struct Source {
    var failures: Int
    var last: BootInstant
  }

  /// Sources remembered at most; the one that was wrong longest ago goes first.
  static let sources = 256
  /// After this long without another failure a source is as good as new.
  static let forgivenMilliseconds: Int64 = 600_000

  private var lastFailure: BootInstant?
  private var known: [String: Source] = [:]

  public init() {}

  /// An attempt from this source has failed by a wrong guess.
  ///
  /// - Parameter source: its address without the port.
  public mutating func failed(_ source: String, now: BootInstant) {
    lastFailure = now
    count(source, now)
  }

  /// An attempt from this source was left before it had proved anything: it costs the source time, and nobody else.
  public mutating func abandoned(_ source: String, now: BootInstant) {
    count(source, now)
  }

  private mutating func count(_ source: String, _ now: BootInstant) {
    let before = known[source].flatMap { now - $0.last < Self.forgivenMilliseconds ? $0.failures : nil } ?? 0
    known[source] = Source(failures: before + 1, last: now)
    guard known.count > Self.sources,
      let oldest = known.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })?.key
    else { return }
    known[oldest] = nil
  }

  /// How long an attempt from this source has to wait before it is looked at, in milliseconds; 0 for not at all.
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
