/// When to dial a peer again. Pure values. Spec: Protocol/04-session.md §5.
public struct DialPace: Sendable, Hashable {
  private var backoff = Backoff()
  /// Whether the last session that ended had been of use.
  private var lastedLong = true
  /// Milliseconds after a session that had been of use; also the least between two tries.
  public static let shortest: Int64 = 200
  /// Milliseconds from which a session counts as having been of use.
  private static let use: Int64 = 5_000

  public init() {}

  /// Tries that failed since the last sign of life.
  public var failures: Int { backoff.failures }

  /// Whether the last session fell apart soon after it began: then nothing but time, or a sign of life, is worth a new try.
  public var hasFallenApart: Bool { !lastedLong }

  /// A session has ended that was open for so many milliseconds, whoever began it. One that was of use is a sign of life.
  public mutating func sessionEnded(after milliseconds: Int64) {
    lastedLong = milliseconds >= Self.use
    if lastedLong { backoff.reset() }
  }

  /// A session that the peer began fell apart: the milliseconds to wait before our next call.
  ///
  /// - Parameter jitter: a random number in 0 to 1.
  public mutating func fellApart(jitter: Double) -> Int64 { backoff.failed(jitter: jitter) }

  /// A call led to a session that is over: the milliseconds to wait. One that did not last counts as a failed try: two
  /// machines that cannot go on must not go round in a circle.
  ///
  /// - Parameter jitter: a random number in 0 to 1.
  public mutating func served(jitter: Double) -> Int64 {
    guard lastedLong else { return backoff.failed(jitter: jitter) }
    backoff.reset()
    return Self.shortest
  }

  /// A call failed: the milliseconds to wait from its beginning on.
  ///
  /// Where nobody answered, the network may let us through at any moment without a word: such calls, which cost a packet
  /// or two, stay frequent. In a crowd they are rarer, or a thousand machines would look for the one that all have lost.
  ///
  /// - Parameters:
  ///   - jitter: a random number in 0 to 1.
  ///   - isUnreachable: whether some address could not be connected to.
  ///   - crowd: machines that may be calling as we do, as far as is known.
  public mutating func failed(jitter: Double, isUnreachable: Bool = false, crowd: Int = 1) -> Int64 {
    lastedLong = true
    return backoff.failed(jitter: jitter, longest: isUnreachable ? Self.longest(crowd: crowd) : 60_000)
  }

  /// Returns the milliseconds to wait after a sign of life that all in a crowd see in one moment, such as an announcement.
  ///
  /// It grows with the crowd, since no constant serves both: 250 ms turn away about 230 of a thousand children, and a family
  /// of five has no reason to wait for more than 10 ms.
  ///
  /// - Parameter jitter: a random number in 0 to 1.
  public static func spread(jitter: Double, crowd: Int) -> Int64 {
    Int64(Double(min(2 * Int64(clamping: crowd), 4_000)) * min(max(jitter, 0), 1))
  }

  /// Milliseconds of the longest wait for a peer that cannot be reached.
  private static func longest(crowd: Int) -> Int64 { min(max(3_000, 50 * Int64(clamping: crowd)), 60_000) }

  /// Whatever shows that a try is worth while: the back-off begins anew.
  public mutating func signOfLife() {
    backoff.reset()
  }
}
