import LatchkeyModel

/// A session of learning during which another machine earned, and what it therefore must not keep.
///
/// Spec: Protocol/11-rules.md §6.
public struct LearningRepeat: Hashable, Sendable {
  /// The time that had been earned elsewhere, in milliseconds.
  public var milliseconds: Int64
  /// The milli-points of that time.
  public var milliPoints: Int64
}

extension Ledger {
  /// The learning that other machines had earned at the same time, with what is to be taken back in all.
  ///
  /// Of two sessions on different machines, the one that began first keeps what both share. The result depends on the
  /// entries alone and not on the order in which they became known.
  public var repeats: [EntryID: LearningRepeat] {
    let lessons = entries.values.filter { $0.id.kind == .earned && $0.quantity > 0 }.sorted { $0.isBefore($1) }
    var repeats: [EntryID: LearningRepeat] = [:]
    var latest = LatestEnds()
    var next = lessons.startIndex
    while next < lessons.endIndex {
      // Entries of the same moment and source do not count for each other.
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

/// The latest ends of sessions of two different purses.
private struct LatestEnds {
  private var latest: (end: Int64, purse: DeviceID)?
  private var next: (end: Int64, purse: DeviceID)?

  /// Returns the latest end in the purses other than one.
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
  /// The end of a session of learning, in the household's time.
  ///
  /// No session is taken to be longer than 31 days.
  fileprivate var end: Int64 { Moment.sum(at, min(quantity, UseTotals.longestMilliseconds)) }

  fileprivate func isBefore(_ other: LedgerEntry) -> Bool {
    at != other.at ? at < other.at : id.source.bytes.lexicographicallyPrecedes(other.id.source.bytes)
  }

  /// Returns what a session shares with earlier ones, the last of which ended at `end`; `nil` for nothing.
  ///
  /// They began before it did, so that what they cover of it begins with it.
  fileprivate func repeated(until end: Int64) -> LearningRepeat? {
    let (shared, length) = (Int128(min(end, self.end)) - Int128(at), Int128(self.end) - Int128(at))
    guard shared > 0 else { return nil }
    // Rounded up, so that what is shared never earns more than once.
    let points = Int128(milliPoints) * shared
    return LearningRepeat(
      milliseconds: Int64(shared), milliPoints: Int64((points + length - 1) / length))
  }

  /// Returns whether this entry is kept although another one of its identity is held.
  ///
  /// Of two that take repeated learning back, it is the one that takes more. Two others that differ come from a faulty
  /// machine; of them, it is the one whose text sorts first.
  public func isKept(over other: LedgerEntry) -> Bool {
    if id.kind == .repeated, milliPoints != other.milliPoints { return milliPoints < other.milliPoints }
    return text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
