import LatchkeyModel

/// The applications that processes pass on to the processes that they start.
///
/// A process is identified by its number alone, because the kernel's reports of copies have only
/// numbers. A number is forgotten when its process ends, or when another process with that number
/// is scanned. Spec: Protocol/13-agent.md §8.
struct Lineages: Sendable {
  /// The largest number of processes to remember of those that were started between the ends of two
  /// full scans and not scanned yet.
  static let capacity = 4_096

  private struct Source {
    var app: AppID
    var startTime: UInt64
    /// A lower bound of the start of its present program.
    ///
    /// It is the start of the process or, if the process has begun another program since, the
    /// beginning of the last full scan before that was seen. A process that is older than it was
    /// not started by that program.
    var since: BootInstant
  }

  private var sources: [Int32: Source] = [:]
  /// The processes that were started and not scanned yet: `unseen` those since the last full scan,
  /// `older` those before it.
  private var (unseen, older): ([Int32: AppID], [Int32: AppID]) = ([:], [:])

  /// A Boolean value that indicates whether no process passes on an application.
  var isEmpty: Bool { sources.isEmpty && unseen.isEmpty && older.isEmpty }

  /// Sets the application that a process passes on; `nil` for none.
  ///
  /// `since` is a lower bound of the start of its present program.
  mutating func set(_ process: ProcessIdentity, passesOn app: AppID?, since: BootInstant) {
    sources[process.processID] = app.map { app in Source(app: app, startTime: process.startTime, since: since) }
  }

  mutating func ended(_ process: ProcessIdentity) {
    if sources[process.processID]?.startTime == process.startTime { sources[process.processID] = nil }
  }

  /// Notes that a process began as a copy of another one.
  mutating func forked(_ child: Int32, of parent: Int32) {
    guard !isEmpty else { return }
    let app = sources[parent]?.app ?? unseen[parent] ?? older[parent]
    // The child's number may have belonged to an earlier process.
    (unseen[child], older[child]) = (nil, nil)
    if let app, unseen.count < Self.capacity { unseen[child] = app }
  }

  /// Returns the application that a process inherited by the kernel's reports, and forgets it.
  mutating func take(_ child: Int32) -> AppID? { unseen.removeValue(forKey: child) ?? older.removeValue(forKey: child) }

  /// Returns the application that the parent of a process passes on to it, by the number of the
  /// parent; `nil` if the parent passes on none, or runs a program that began later.
  func passedOn(to child: ProcessFacts) -> AppID? {
    guard let source = sources[child.parent], source.startTime <= child.identity.startTime,
      // The tolerance is 10 ms, because the kernel counts start times in hundredths of a second.
      child.startedAt + 10 >= source.since
    else { return nil }
    return source.app
  }

  /// Forgets the processes that started before the last full scan and were never scanned.
  mutating func looked() { (unseen, older) = ([:], unseen) }
}

/// Inheritance of applications (Protocol/13-agent.md §8).
extension AgentMachine {
  /// A Boolean value that indicates whether the kernel's reports of copies are needed, because a
  /// process passes on an application.
  public var followsCopies: Bool { !lineages.isEmpty }

  public var inherited: [ProcessIdentity: AppID] {
    followed.identities.reduce(into: [:]) { found, process in found[process] = followed[process]?.inherited }
  }

  /// Sets the inherited applications that an earlier run of the agent stored.
  public mutating func found(inherited: [ProcessIdentity: AppID]) { inheritedBefore = inherited }

  /// Notes that a process began as a copy of another one.
  public mutating func forked(_ child: Int32, of parent: Int32) { lineages.forked(child, of: parent) }

  /// Returns the application that a process has inherited when it is first seen.
  mutating func inheritance(of facts: ProcessFacts) -> AppID? {
    let app = lineages.take(facts.identity.processID) ?? inheritedBefore.removeValue(forKey: facts.identity)
    return app ?? lineages.passedOn(to: facts)
  }

  /// Lets processes inherit from parents that were recognized only after them.
  mutating func inheritLate(_ now: BootInstant) -> [AgentEffect] {
    guard !lineages.isEmpty else { return [] }
    // Parents come before their children.
    let waiting = followed.identities.filter { followed[$0]?.inherited == nil }
      .sorted { ($0.startTime, $0.processID) < ($1.startTime, $1.processID) }
    var effects: [AgentEffect] = []
    for process in waiting {
      guard var known = followed[process], let app = lineages.passedOn(to: known.facts) else { continue }
      known.inherited = app
      followed[process] = known
      inheritedChanges += 1
      effects += look(at: process, now)
    }
    return effects
  }

  /// Begins the use of processes with an inherited application that were seen in two full scans.
  ///
  /// Shorter processes are not worth a report.
  mutating func beginInherited(seenBefore began: BootInstant, _ now: BootInstant) -> [AgentEffect] {
    let waiting = [followed.ruled, followed.others].flatMap { all in
      all.filter { $0.value.isFleeting && $0.value.firstSeen < began }.keys
    }
    var effects: [AgentEffect] = []
    for process in waiting.sorted() {
      guard var known = followed[process] else { continue }
      known.hasStayed = true
      followed[process] = known
      effects += look(at: process, now)
    }
    return effects
  }
}

extension AgentMachine.Followed {
  /// Returns the application that it passes on to the processes that it starts and to its next
  /// program; `nil` for none.
  func passedOn(_ supervised: AgentMachine.Supervised) -> AppID? {
    guard facts.passesOn else { return nil }
    guard let own else { return inherited }
    return supervised.programs[own]?.countsLaunches == true ? own : nil
  }

  /// Returns whether new facts of a process show that it runs another program.
  func runsOther(_ new: ProcessFacts) -> Bool {
    if let before = facts.programPlace, let after = new.programPlace { return before != after }
    return facts.images.first?.path != new.images.first?.path
  }
}
