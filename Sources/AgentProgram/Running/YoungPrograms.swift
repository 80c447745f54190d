import LatchkeyModel

/// Programs that the kernel has reported and that are looked at again: a loader has not mapped its program at once, and the
/// next look at everything is seconds away.
///
/// Spec: Protocol/13-agent.md §10.
struct YoungPrograms {
  /// The ages at which a program is looked at again, in milliseconds.
  private static let ages: [Int64] = [50, 300, 1_500]
  /// The most programs that wait; others are seen by the next look at everything.
  private static let capacity = 4_096

  private var waiting: [[(process: Int32, at: BootInstant)]] = Array(repeating: [], count: YoungPrograms.ages.count)

  /// When the next is due; `nil` if none waits.
  var next: BootInstant? { waiting.lazy.compactMap { $0.first?.at }.min() }

  mutating func started(_ process: Int32, at now: BootInstant) { add(process, 0, now) }

  /// Takes out those that are due.
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
