import LatchkeyModel

/// The pace at which a peer is called; jitter is a random number in 0 to 1.
///
/// A pure value. Spec: Protocol/04-session.md §5.
public struct DialPace: Sendable, Hashable {
  private var backoff = Backoff()
  /// A Boolean value that indicates whether the last session was useful.
  private var lastedLong = true
  /// The delay after a useful session, and the shortest time between two attempts, in milliseconds.
  public static let shortest: Int64 = 200
  /// The duration from which a session counts as useful, in milliseconds.
  private static let use: Int64 = 5_000

  public init() {}

  /// The number of attempts that failed since the last sign of life.
  public var failures: Int { backoff.failures }

  /// A Boolean value that indicates whether the last session ended soon after it began.
  ///
  /// If so, only time or a sign of life justifies another attempt.
  public var hasFallenApart: Bool { !lastedLong }

  /// Records the end of a session, and its duration in milliseconds, whichever side began it; a
  /// useful session is a sign of life.
  public mutating func sessionEnded(after milliseconds: Int64) {
    lastedLong = milliseconds >= Self.use
    if lastedLong { backoff.reset() }
  }

  /// Returns the delay before our next call, in milliseconds, after a session that the peer began
  /// ended too soon.
  public mutating func fellApart(jitter: Double) -> Int64 { backoff.failed(jitter: jitter) }

  /// Returns the delay in milliseconds after a call whose session has ended; one that did not last
  /// is a failed attempt, since machines that cannot proceed must not reconnect in a loop.
  public mutating func served(jitter: Double) -> Int64 {
    guard lastedLong else { return backoff.failed(jitter: jitter) }
    backoff.reset()
    return Self.shortest
  }

  /// Returns the delay after a failed call, in milliseconds from its beginning.
  ///
  /// If nothing answered (`isUnreachable`), the network may become available at any moment without
  /// notice. Such calls cost a packet or two and stay frequent. In a crowd they are less frequent,
  /// or a thousand machines would call the one that all of them have lost.
  public mutating func failed(jitter: Double, isUnreachable: Bool = false, crowd: Int = 1) -> Int64 {
    lastedLong = true
    return backoff.failed(jitter: jitter, longest: isUnreachable ? Self.longest(crowd: crowd) : 60_000)
  }

  /// Returns the delay in milliseconds after a sign of life that a crowd notices at one moment,
  /// such as an announcement.
  ///
  /// The delay grows with the crowd, since no constant suits all sizes: with 250 ms, about 230 of a
  /// thousand children are refused, and a family of five has no reason to wait longer than 10 ms.
  public static func spread(jitter: Double, crowd: Int) -> Int64 {
    Int64(Double(min(2 * Int64(clamping: crowd), 4_000)) * min(max(jitter, 0), 1))
  }

  /// Returns the longest delay for a peer that cannot be reached, in milliseconds.
  private static func longest(crowd: Int) -> Int64 { min(max(3_000, 50 * Int64(clamping: crowd)), 60_000) }

  /// Restarts the back-off because something indicates that an attempt may succeed.
  public mutating func signOfLife() { backoff.reset() }
}

/// A generator of jitter, which keeps many machines from acting at the same moment.
///
/// No secret depends on it. A pure value; the generator is SplitMix64 (Steele, Lea and Flood,
/// 2014).
public struct JitterSource: Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// Returns the next number in 0 to 1.
  public mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / Double(UInt64(1) << 53)
  }
}
