/// The effort with which a discovery searches for other machines' announcements.
///
/// A machine that follows announcements queries the network repeatedly. Every responder receives
/// each query and reads its long list of known answers. Forty machines that query at once have no
/// time for anything else.
///
/// Spec: Protocol/02-discovery.md §4.
public enum Attention: Sendable, Hashable {
  /// Do not search.
  case none

  /// Search, but in a crowd mostly leave searching to others.
  ///
  /// If two machines look for each other, one search is enough.
  ///
  /// - Parameters:
  ///   - crowd: The number of machines that are known to search at the same time; more may be seen.
  ///   - misses: Whether a device is looked for. In a crowd, a machine that looks for none does not
  ///     search.
  case patient(crowd: Int, misses: Bool)

  /// Search for everything that is of interest.
  case full

  /// Returns whether a number of machines that search at the same time is a crowd: more than 8.
  public static func isCrowd(_ count: Int) -> Bool { CrowdPatience.isCrowd(count) }

  var isPatient: Bool {
    if case .patient = self { true } else { false }
  }

  var misses: Bool {
    switch self {
    case .none: false
    case .patient(_, let misses): misses
    case .full: true
    }
  }
}

/// The time for which one of many machines leaves searching to the others.
///
/// A query for announcements goes to all machines and lists everything that the asker knows. If n
/// machines search at once, the work grows with the cube of n. For two machines to find each other,
/// one search is enough. In a crowd, patient machines therefore leave it to the others, and search
/// briefly now and then only because the others may be unable to call.
///
/// Spec: Protocol/02-discovery.md §4.
struct CrowdPatience: Sendable, Hashable {
  /// The duration of a search in a crowd.
  ///
  /// Responders repeat a query after a second.
  static let look = Duration.milliseconds(900)
  /// The longest search, while services that were seen have not been looked up.
  static let longLook = Duration.seconds(3)

  /// The first pause and the longest one, in seconds.
  private static let first = 15.0...60.0
  private static let longest = 60.0...120.0

  private var pauses = 0

  static func isCrowd(_ count: Int) -> Bool { count > 8 }

  /// Returns the time until the next search.
  ///
  /// `jitter` is a random number in 0 to 1.
  mutating func pause(jitter: Double) -> Duration {
    let span = pauses == 0 ? Self.first : Self.longest
    pauses += 1
    return .seconds(span.lowerBound + (span.upperBound - span.lowerBound) * jitter)
  }

  /// Returns the delay of the first search if all machines may begin at once and each does so
  /// rarely.
  ///
  /// `jitter` is a random number in 0 to 1.
  func spread(jitter: Double) -> Duration { .seconds(3 * jitter) }
}
