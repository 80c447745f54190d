import LatchkeyModel

/// The reason why learning is held for review.
public enum HoldReason: String, Hashable, Sendable, CaseIterable {
  /// The program continued to run after a rule had closed it.
  case notAllowed
  /// The program ran while nobody touched the machine.
  case noActivity
  case rewardBeside
  /// The clock was set during the session.
  case clockJump
}

/// The evidence that a child's machine gathered during a session of learning.
///
/// Spec: Protocol/11-rules.md §7.
public struct LearningEvidence: Hashable, Sendable {
  /// The shortest time without any input that looks wrong, in milliseconds.
  public static let idleMilliseconds: Int64 = 60_000
  /// The shortest time that looks wrong if a program runs on after it was closed, in milliseconds.
  public static let closedMilliseconds: Int64 = 60_000

  /// The number of events from input devices; `nil` if the machine cannot see them.
  public var inputs: Int?
  /// The time for which a reward was active at the same time, in milliseconds.
  public var rewardMilliseconds: Int64
  /// The time that passed on the boot clock, in milliseconds.
  public var elapsedMilliseconds: Int64
  /// The time for which the program ran although a rule had closed it, in milliseconds.
  public var closedMilliseconds: Int64

  public init(inputs: Int?, rewardMilliseconds: Int64, elapsedMilliseconds: Int64, closedMilliseconds: Int64 = 0) {
    (self.closedMilliseconds, self.inputs) = (closedMilliseconds, inputs)
    (self.rewardMilliseconds, self.elapsedMilliseconds) = (rewardMilliseconds, elapsedMilliseconds)
  }

  /// Returns the reason to review a session; `nil` if it looks right.
  public func holdReason(for record: UsageRecord) -> HoldReason? {
    // A program may take a moment to end. One that ran closed for most of its time was never
    // allowed.
    let moment = min(Self.closedMilliseconds, max(1, record.activeMilliseconds / 2))
    if closedMilliseconds >= moment { return .notAllowed }
    if inputs == 0, record.activeMilliseconds >= Self.idleMilliseconds { return .noActivity }
    if rewardMilliseconds > 0 { return .rewardBeside }
    let shown = Int128(record.sessionEnd) - Int128(record.sessionStart)
    let jump = shown - Int128(elapsedMilliseconds)
    return abs(jump) > Int128(HouseholdClock.slackMilliseconds) ? .clockJump : nil
  }
}

/// The part of a session of learning that another machine had already earned points for.
///
/// Spec: Protocol/11-rules.md §6.
public struct LearningRepeat: Hashable, Sendable {
  /// The time that had already been earned elsewhere, in milliseconds.
  public var milliseconds: Int64
  public var milliPoints: Int64
}

extension Ledger {
  /// The learning that other machines had already earned points for, with the total to take back.
  ///
  /// If two sessions on different machines overlap, the one that began first keeps the shared time.
  /// The result depends only on the entries, and not on the order in which they became known.
  public var repeats: [EntryID: LearningRepeat] {
    let lessons = entries.values.filter { $0.id.kind == .earned && $0.quantity > 0 }.sorted { $0.isBefore($1) }
    var repeats: [EntryID: LearningRepeat] = [:]
    var latest = LatestEnds()
    var next = lessons.startIndex
    while next < lessons.endIndex {
      // Entries with the same time and source do not count against each other.
      let first = lessons[next]
      let equals = lessons[next...].prefix { !first.isBefore($0) }
      for lesson in equals {
        guard let end = latest.end(besides: lesson.id.purse) else { continue }
        repeats[lesson.id] = lesson.repeated(until: end)
      }
      for lesson in equals { latest.add(lesson.end, of: lesson.id.purse) }
      next = equals.endIndex
    }
    return repeats
  }
}

/// The latest ends of sessions in two different purses.
private struct LatestEnds {
  private var latest: (end: Int64, purse: DeviceID)?
  private var next: (end: Int64, purse: DeviceID)?

  /// Returns the latest end in any purse but one.
  func end(besides purse: DeviceID) -> Int64? { latest?.purse == purse ? next?.end : latest?.end }

  mutating func add(_ end: Int64, of purse: DeviceID) {
    guard let latest else {
      self.latest = (end, purse)
      return
    }
    if latest.purse == purse {
      self.latest?.end = max(latest.end, end)
    } else if end > latest.end {
      (self.latest, next) = ((end, purse), latest)
    } else if end > next?.end ?? .min {
      next = (end, purse)
    }
  }
}

extension LedgerEntry {
  /// The end of a session of learning, which counts as at most 31 days, in household time.
  fileprivate var end: Int64 { Moment.sum(at, min(quantity, SpanSet.longestMilliseconds)) }

  fileprivate func isBefore(_ other: LedgerEntry) -> Bool {
    at != other.at ? at < other.at : id.source.bytes.lexicographicallyPrecedes(other.id.source.bytes)
  }

  /// Returns the part that a session shares with earlier ones, the last of which ended at `end`;
  /// `nil` if there is none.
  ///
  /// The earlier sessions began before this one, so the shared part starts with it.
  fileprivate func repeated(until end: Int64) -> LearningRepeat? {
    let (shared, length) = (Int128(min(end, self.end)) - Int128(at), Int128(self.end) - Int128(at))
    guard shared > 0 else { return nil }
    // The amount is rounded up, so that shared time never earns more than once.
    let points = Int128(milliPoints) * shared
    return LearningRepeat(milliseconds: Int64(shared), milliPoints: Int64((points + length - 1) / length))
  }

  /// Returns whether this entry is kept instead of another one with the same identity.
  ///
  /// Of two entries that take back repeated learning, the one that takes back more is kept. Any
  /// other difference comes from a faulty machine, and the entry whose text sorts first is kept.
  public func isKept(over other: LedgerEntry) -> Bool {
    if id.kind == .repeated, milliPoints != other.milliPoints { return milliPoints < other.milliPoints }
    return text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
