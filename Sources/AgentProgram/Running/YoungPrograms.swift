import LatchkeyModel

/// The programs that the kernel has reported and that are examined again soon.
///
/// A loader needs a moment to map its program, and the next full scan is seconds away.
///
/// Spec: Protocol/13-agent.md §10.
struct YoungPrograms {
  /// The ages at which a program is examined again, in milliseconds.
  private static let ages: [Int64] = [50, 300, 1_500]
  /// The most programs that are queued; the next full scan sees the others.
  private static let capacity = 4_096

  private var waiting: [[(process: Int32, at: BootInstant)]] = Array(repeating: [], count: YoungPrograms.ages.count)

  /// The instant at which the next program is due; `nil` if none is queued.
  var next: BootInstant? { waiting.lazy.compactMap { $0.first?.at }.min() }

  mutating func started(_ process: Int32, at now: BootInstant) { add(process, 0, now) }

  /// Removes and returns the programs that are due.
  mutating func due(at now: BootInstant) -> [Int32] {
    var due: [Int32] = []
    for stage in waiting.indices {
      let ready = waiting[stage].prefix { $0.at <= now }
      waiting[stage].removeFirst(ready.count)
      for (process, _) in ready {
        due.append(process)
        if stage + 1 < waiting.count { add(process, stage + 1, now) }
      }
    }
    return due
  }

  private mutating func add(_ process: Int32, _ stage: Int, _ now: BootInstant) {
    guard waiting[stage].count < Self.capacity else { return }
    let earlier = stage == 0 ? 0 : Self.ages[stage - 1]
    waiting[stage].append((process, now + (Self.ages[stage] - earlier)))
  }
}
