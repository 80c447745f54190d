import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// Looks at all processes, of which a part is done at a time, and at the new ones among them.
///
/// Spec: Protocol/13-agent.md §10.
extension ProcessLooker {
  /// A look at all processes, of which a part is done at a time.
  struct Round {
    var began: BootInstant
    /// The processes that are still to be looked at, the new ones first.
    var rest: ArraySlice<Int32>
    /// The numbers of the processes that were there when it began or since.
    var listed: Set<Int32>
    var turned: BootInstant
    var present: Set<ProcessIdentity> = []
  }

  /// What a look at all processes has found.
  struct Found {
    var began: BootInstant
    var present: Set<ProcessIdentity>
  }

  /// The time after which a look at many processes turns to new ones, in milliseconds.
  private static let newMilliseconds: Int64 = 250

  var isLooking: Bool { round != nil }

  /// Begins a look at all processes, in the place of one that is not done.
  mutating func begin(_ wanted: Wanted, at now: BootInstant) {
    looks += 1
    if mounts.hasChanged { loadMounts() }
    arguments.begin()
    // Also what no change was told of, as where /proc was mounted later.
    if looks % 10 == 0 {
      hidden = [:]
      loadMounts()
    }
    let all = wanted.accounts.isEmpty ? [] : ProcFile.processes()
    let before = Set(known.keys.map(\.processID))
    // The new ones may have to be closed, and the others take time.
    let ordered = all.filter { !before.contains($0) } + all.filter { before.contains($0) }
    listedAtLook = Set(all)
    round = Round(began: now, rest: ordered[...], listed: listedAtLook, turned: now)
  }

  /// Goes on with the look that has begun, until an instant or to its end; returns what is there once it is done.
  ///
  /// It calls `see` at once for each process of the accounts that is new or has changed, also for those that appear meanwhile.
  /// At least one process is looked at.
  mutating func goOn(_ wanted: Wanted, until end: BootInstant?, see: (ProcessFacts) -> Void) -> Found? {
    while let pid = round?.rest.popFirst() {
      let now = BootClock.now()
      if let (facts, isNews) = look(at: pid, wanted, now), isNews { see(facts) }
      if let turned = round?.turned, now - turned >= Self.newMilliseconds { addNew(at: now) }
      if let end, BootClock.now() >= end { break }
    }
    guard let done = round, done.rest.isEmpty else { return nil }
    round = nil
    known = known.filter { done.present.contains($0.key) }
    firstSeen = firstSeen.filter { done.present.contains($0.key) }
    between = between.filter { ProcessStatLine(pid: $0.key.processID)?.startTime == $0.key.startTime }
    return Found(began: done.began, present: done.present)
  }

  /// Puts the processes that are new before the others that are to be looked at.
  private mutating func addNew(at now: BootInstant) {
    guard var going = round else { return }
    let new = ProcFile.processes().filter { going.listed.insert($0).inserted }
    going.rest = (new + going.rest)[...]
    going.turned = now
    round = going
  }

  /// Looks at all processes at once, and returns those of the accounts that are there.
  mutating func look(
    _ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void
  ) -> Set<ProcessIdentity> {
    begin(wanted, at: now)
    return goOn(wanted, until: nil, see: see)?.present ?? []
  }

  /// Looks until an instant at the processes that are new since the last look at all began, first at those not seen so far, of
  /// which the latest come first; returns whether all were looked at.
  mutating func lookAtNew(_ wanted: Wanted, until end: BootInstant, see: (ProcessFacts) -> Void) -> Bool {
    guard !wanted.accounts.isEmpty else { return true }
    let new = ProcFile.processes().filter { !listedAtLook.contains($0) }
    let seen = Set(known.keys.map(\.processID))
    let unseen = new.filter { !seen.contains($0) }.sorted(by: >)
    for pid in unseen + new.filter({ seen.contains($0) }) {
      let now = BootClock.now()
      if now >= end { return false }
      if let (facts, isNews) = look(at: pid, wanted, now), isNews { see(facts) }
    }
    return true
  }

  /// Looks again until an instant at the processes that have files of which the SHA-256 is known now, or cannot be known.
  mutating func look(
    atThoseWith files: Set<FileMark>, _ wanted: Wanted, until end: BootInstant, see: (ProcessFacts) -> Void
  ) {
    for process in known.filter({ !$0.value.awaited.isDisjoint(with: files) }).keys {
      let now = BootClock.now()
      if let (facts, isNews) = look(at: process.processID, wanted, now), isNews { see(facts) }
      if now >= end { return }
    }
  }
}
