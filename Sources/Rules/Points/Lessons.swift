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

/// The sessions of learning of a ledger, by which a span of a child's time earns once on all machines.
///
/// Of two sessions on different machines, the one that began first keeps what both share. The result depends on the
/// sessions alone and not on the order in which they became known.
struct Lessons: Sendable {
  private struct Lesson: Sendable {
    var id: EntryID
    var start: Int64
    var end: Int64
    var milliPoints: Int64

    func isBefore(_ other: Lesson) -> Bool {
      start != other.start
        ? start < other.start : id.source.bytes.lexicographicallyPrecedes(other.id.source.bytes)
    }

    func touches(_ other: Lesson) -> Bool {
      id.purse != other.id.purse && start < other.end && other.start < end
    }
  }

  private static let day: Int64 = 86_400_000

  /// The sessions by the days of Unix time that they touch.
  private var lessons: [Int64: [Lesson]] = [:]
  private(set) var repeats: [EntryID: LearningRepeat] = [:]

  /// Counts an entry of learning that earned, or forgets one that was replaced.
  mutating func count(_ entry: LedgerEntry, isTaken: Bool) {
    // No session is taken to be longer than 31 days.
    let length = min(entry.quantity, UseTotals.longestMilliseconds)
    let lesson = Lesson(
      id: entry.id, start: entry.at, end: Moment.sum(entry.at, length), milliPoints: entry.milliPoints)
    guard length > 0 else { return }
    let touched = others(of: lesson)
    for day in Self.days(of: lesson) {
      if isTaken {
        lessons[day, default: []].append(lesson)
      } else {
        lessons[day]?.removeAll { $0.id == lesson.id }
      }
    }
    repeats[lesson.id] = isTaken ? self.found(for: lesson, among: touched) : nil
    for other in touched where lesson.isBefore(other) {
      repeats[other.id] = found(for: other, among: others(of: other))
    }
  }

  private static func days(of lesson: Lesson) -> ClosedRange<Int64> { lesson.start / day...(lesson.end - 1) / day }

  /// Returns the sessions of other machines that share time with one.
  private func others(of lesson: Lesson) -> [Lesson] {
    var seen: Set<EntryID> = []
    return Self.days(of: lesson).flatMap { lessons[$0] ?? [] }
      .filter { $0.touches(lesson) && seen.insert($0.id).inserted }
  }

  /// Returns what a session shares with earlier ones; `nil` for nothing.
  private func found(for lesson: Lesson, among others: [Lesson]) -> LearningRepeat? {
    var shared: Int64 = 0
    var through = lesson.start
    for other in others.filter({ $0.isBefore(lesson) }).sorted(by: { $0.start < $1.start }) {
      let (start, end) = (max(other.start, through), min(other.end, lesson.end))
      guard end > start else { continue }
      shared += end - start
      through = end
    }
    guard shared > 0 else { return nil }
    // Rounded up, so that what is shared never earns more than once.
    let (points, length) = (Int128(lesson.milliPoints) * Int128(shared), Int128(lesson.end - lesson.start))
    return LearningRepeat(milliseconds: shared, milliPoints: Int64((points + length - 1) / length))
  }
}

extension LedgerEntry {
  /// Returns whether this entry is kept although another one of its identity is held.
  ///
  /// Of two that take repeated learning back, it is the one that takes more. Two others that differ come from a faulty
  /// machine; of them, it is the one whose text sorts first.
  public func isKept(over other: LedgerEntry) -> Bool {
    if id.kind == .repeated, milliPoints != other.milliPoints { return milliPoints < other.milliPoints }
    return text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
