/// When to dial a peer again. Pure values. Spec: Protocol/04-session.md §5.
public struct DialPace: Sendable, Hashable {
  private var backoff = Backoff()
  /// Whether the last session that ended had been of use.
  private var lastedLong = true
  /// Milliseconds after a session that had been of use; also the least between two tries.
  private static let shortest: Int64 = 200
  /// Milliseconds from which a session counts as having been of use.
  private static let use: Int64 = 5_000

  public init() {}

  /// Tries that failed since the last sign of life.
  public var failures: Int { backoff.failures }

  /// Whether sessions come about and do not last, as with a machine that can store nothing: one more item does not mend them.
  public var fallsApart: Bool { !lastedLong }

  /// A session has ended that was open for so many milliseconds, whoever began it.
  ///
  /// - Returns: whether it had been of use: a sign of life.
  @discardableResult
  public mutating func sessionEnded(after milliseconds: Int64) -> Bool {
    lastedLong = milliseconds >= Self.use
    if lastedLong { backoff.reset() }
    return lastedLong
  }

  /// A session is over: the milliseconds to wait. One that did not last counts as a failed try: two machines that cannot go
  /// on must not go round in a circle.
  ///
  /// - Parameter jitter: a random number in 0 to 1.
  public mutating func served(jitter: Double) -> Int64 { lastedLong ? Self.shortest : backoff.failed(jitter: jitter) }

  /// No session came about: the milliseconds to wait.
  ///
  /// - Parameter jitter: a random number in 0 to 1.
  public mutating func failed(jitter: Double) -> Int64 {
    lastedLong = true
    return backoff.failed(jitter: jitter)
  }

  /// Something changed while a session or a call was under way, which makes a new try worth while, but never in a tight circle.
  public func hastened(_ wait: Int64) -> Int64 { min(wait, Self.shortest) }

  /// Whatever shows that a try is worth while: the back-off begins anew.
  public mutating func signOfLife() {
    backoff.reset()
  }
}
