import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Full scans, which are carried out in parts, and scans of new processes only
/// (Protocol/13-agent.md §10).
extension ProcessLooker {
  /// A full scan that is carried out in parts.
  struct Round {
    var began: BootInstant
    /// The processes that remain to be examined, new ones first.
    var rest: ArraySlice<Int32>
    /// The numbers of the processes that existed when the scan began, or appeared since.
    var listed: Set<Int32>
    var turned: BootInstant
    var present: Set<ProcessIdentity> = []
  }

  /// The result of a full scan.
  struct Found {
    var began: BootInstant
    var present: Set<ProcessIdentity>
  }

  /// The time after which a long scan turns to new processes, in milliseconds.
  private static let newMilliseconds: Int64 = 250

  var isLooking: Bool { round != nil }

  /// Begins a full scan, which replaces an unfinished one.
  mutating func begin(_ wanted: Wanted, at now: BootInstant) {
    looks += 1
    if mounts.hasChanged { loadMounts() }
    arguments.begin()
    // From time to time, these are read even without a change, as when /proc is mounted late.
    if looks % 10 == 0 {
      hidden = [:]
      loadMounts()
    }
    let all = wanted.accounts.isEmpty ? [] : ProcFile.processes()
    let before = Set(known.keys.map(\.processID))
    // New processes may have to be closed, and the others take time.
    let ordered = all.filter { !before.contains($0) } + all.filter { before.contains($0) }
    listedAtLook = Set(all)
    round = Round(began: now, rest: ordered[...], listed: listedAtLook, turned: now)
  }

  /// Continues the scan until an instant or to its end, and returns the result once complete.
  ///
  /// Calls `see` immediately for each process of the accounts that is new or has changed, including
  /// processes that appear during the scan. At least one process is examined in each call.
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

  /// Puts processes that have appeared since before those that remain to be examined.
  private mutating func addNew(at now: BootInstant) {
    guard var going = round else { return }
    let new = ProcFile.processes().filter { going.listed.insert($0).inserted }
    going.rest = (new + going.rest)[...]
    going.turned = now
    round = going
  }

  /// Carries out a full scan at once, and returns the accounts' processes that exist.
  mutating func look(_ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void) -> Set<ProcessIdentity> {
    begin(wanted, at: now)
    return goOn(wanted, until: nil, see: see)?.present ?? []
  }

  /// Examines the processes that are new since the last full scan began, until an instant; returns
  /// whether all were examined.
  ///
  /// Processes that were never examined come first, the latest before the others.
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

  /// Examines again, until an instant, the processes with files whose SHA-256 is decided now.
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
