/// How fast the topic of the buttons is read, which others may be able to write to.
///
/// A bucket holds what may be read at once, such as all that the server has kept, and fills again
/// at a steady pace. What waits for it is kept by the server, which is read no further meanwhile.
struct TopicPace {
  /// The number of messages that are read at once.
  static let most = 1_000
  /// The number of messages that are read in a second after that.
  static let perSecond = 100
  /// The time for which a pause is told.
  private static let memory: Duration = .seconds(600)

  private var left = most
  private var filledAt: ContinuousClock.Instant?
  private var pausedAt: ContinuousClock.Instant?

  /// Counts a message; returns the pause before the next one is read, `nil` for none.
  mutating func count(at now: ContinuousClock.Instant) -> Duration? {
    if let filledAt {
      let seconds = (now - filledAt).components.seconds
      if seconds > 0 {
        left = Int(min(Int64(Self.most), Int64(left) + min(seconds, Int64(Self.most)) * Int64(Self.perSecond)))
        self.filledAt = filledAt + .seconds(seconds)
      }
    } else {
      filledAt = now
    }
    left -= 1
    guard left <= 0 else { return nil }
    pausedAt = now
    // A whole second, so that a flood wakes this process once a second.
    return .seconds(1)
  }

  /// Returns a sentence while messages come faster than they are read; `nil` if they do not.
  func sentence(at now: ContinuousClock.Instant) -> String? {
    guard let pausedAt, now - pausedAt < Self.memory else { return nil }
    return
      "Somebody posts to the topic of the buttons faster than it is read, so that answers from the phone come late: "
      + "have the server's operator let only the phone write there, or set the receiver up anew for new topics."
  }
}
