import LatchkeyModel

/// The applications that processes pass on to the processes that they start.
///
/// A process is identified by its number alone, because the kernel's reports of copies have only
/// numbers. A number is forgotten when its process ends, or when another process with that number
/// is scanned.
///
/// Spec: Protocol/13-agent.md §8.
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

  /// Returns the application that a process inherited according to the kernel's reports, and
  /// forgets it.
  mutating func take(_ child: Int32) -> AppID? {
    unseen.removeValue(forKey: child) ?? older.removeValue(forKey: child)
  }

  /// Returns the application that the parent of a process passes on to it, by the number of the
  /// parent; `nil` if the parent passes on none, or runs a program that began later.
  func passedOn(to child: ProcessFacts) -> AppID? {
    guard let source = sources[child.parent], source.startTime <= child.identity.startTime,
      // The tolerance is 10 ms, because the kernel counts start times in hundredths of a second.
      child.startedAt + 10 >= source.since
    else { return nil }
    return source.app
  }

  /// Forgets the processes that were started before the last full scan and ended without being
  /// scanned.
  mutating func looked() { (unseen, older) = ([:], unseen) }
}
