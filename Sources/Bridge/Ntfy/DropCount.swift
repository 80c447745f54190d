import Logging

/// The messages on a topic that were dropped, which are logged once a minute at most.
struct DropCount {
  /// Why a message was dropped.
  enum Reason: String, CaseIterable {
    /// It was not made with the receiver's key.
    case foreign
    /// Nothing that it answers is open.
    case late
    /// It was handled before.
    case duplicate
  }

  /// The number of foreign messages within an hour from which a parent is told.
  private static let manyForeign = 20
  private static let minute: Duration = .seconds(60)
  private static let hour: Duration = .seconds(3_600)

  private var counts: [Reason: Int] = [:]
  private var loggedAt: ContinuousClock.Instant?
  private var hourBegan: ContinuousClock.Instant?
  private var foreign = 0

  mutating func add(_ reason: Reason, at now: ContinuousClock.Instant, _ logger: Logger) {
    counts[reason, default: 0] += 1
    if reason == .foreign {
      if hourBegan.map({ now - $0 >= Self.hour }) ?? true { (hourBegan, foreign) = (now, 0) }
      foreign += 1
    }
    guard loggedAt.map({ now - $0 >= Self.minute }) ?? true else { return }
    loggedAt = now
    logger.notice(
      "messages on the topic of the buttons were dropped",
      metadata: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, "\($0.value)") }))
    counts = [:]
  }

  /// Returns a sentence if somebody else posts to the topic; `nil` if not.
  func sentence(at now: ContinuousClock.Instant) -> String? {
    guard let hourBegan, now - hourBegan < Self.hour * 2, foreign >= Self.manyForeign else { return nil }
    return
      "Somebody else posts to the topic of the buttons, which answers nothing: have the server's operator let only "
      + "the phone write there, or set the receiver up anew for new topics."
  }
}
