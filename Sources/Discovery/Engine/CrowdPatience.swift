/// Says how long one of many machines leaves it to others to look.
///
/// A question for what is announced goes to everybody, with a list of all that the asker knows: among n machines that look
/// for each other at a time the work grows with the cube of n. Of two that look for each other one is enough; so in a crowd
/// those that are patient leave it to the others, and look for a moment now and then only because these may be unable to
/// call. Spec: Protocol/02-discovery.md §4.
struct CrowdPatience: Sendable, Hashable {
  /// How long a look in a crowd takes: responders ask a second time after a second.
  static let look = Duration.milliseconds(900)
  /// The longest, while services that were seen have not been looked up.
  static let longLook = Duration.seconds(3)

  /// Seconds that the first pause takes, and the longest.
  private static let first = 15.0...60.0
  private static let longest = 60.0...120.0

  private var pauses = 0

  /// Whether so many instances are a crowd.
  static func isCrowd(_ count: Int) -> Bool { count > 8 }

  /// How long to wait until the next look.
  ///
  /// - Parameter jitter: random, 0 to 1.
  mutating func pause(jitter: Double) -> Duration {
    let span = pauses == 0 ? Self.first : Self.longest
    pauses += 1
    return .seconds(span.lowerBound + (span.upperBound - span.lowerBound) * jitter)
  }

  /// How long to wait until the first look where all may begin at a time, and each only now and then.
  ///
  /// - Parameter jitter: random, 0 to 1.
  func spread(jitter: Double) -> Duration { .seconds(3 * jitter) }
}
