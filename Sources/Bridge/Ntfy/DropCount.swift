import Logging

/// The messages on a topic that were dropped, which are logged once a minute at most.
struct DropCount {
  /// Why a message was dropped.
  enum Reason: String, CaseIterable {
    /// It was not made with the receiver's key.
    case foreign
    /// It was not made with the receiver's key, and was posted over an hour ago.
    case old
    /// Nothing that it answers is open.
    case late
    /// It was handled before.
    case duplicate
  }

  /// The number of foreign messages within any hour from which a parent is told.
  private static let manyForeign = 20
  private static let minute: Duration = .seconds(60)
  private static let hour: Duration = .seconds(3_600)

  private var counts: [Reason: Int] = [:]
  private var loggedAt: ContinuousClock.Instant?
  /// When the last foreign messages came, the oldest first, at most `manyForeign`.
  private var foreign: [ContinuousClock.Instant] = []

  /// Counts a message.
  mutating func add(_ reason: Reason, at now: ContinuousClock.Instant) {
    counts[reason, default: 0] += 1
    guard reason == .foreign else { return }
    foreign.append(now)
    if foreign.count > Self.manyForeign { foreign.removeFirst() }
  }

  /// Returns what was dropped since the last time that something was returned; `nil` if that was
  /// less than a minute ago, or nothing was dropped.
  mutating func due(at now: ContinuousClock.Instant) -> [Reason: Int]? {
    guard !counts.isEmpty, loggedAt.map({ now - $0 >= Self.minute }) ?? true else { return nil }
    defer { (loggedAt, counts) = (now, [:]) }
    return counts
  }

  /// Logs what is due.
  mutating func log(at now: ContinuousClock.Instant, _ logger: Logger) {
    guard let due = due(at: now) else { return }
    logger.notice(
      "messages on the topic of the buttons were dropped",
      metadata: Dictionary(uniqueKeysWithValues: due.map { ($0.key.rawValue, "\($0.value)") }))
  }

  /// Returns a sentence if somebody else posts to the topic; `nil` if not.
  func sentence(at now: ContinuousClock.Instant) -> String? {
    guard foreign.count == Self.manyForeign, let first = foreign.first, now - first < Self.hour else { return nil }
    return
      "Somebody else posts to the topic of the buttons, which answers nothing: have the server's operator let only "
      + "the phone write there, or set the receiver up anew for new topics."
  }
}
