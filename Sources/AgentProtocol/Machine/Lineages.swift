import LatchkeyModel

/// What processes hand on to those that they start.
///
/// It knows processes by their numbers alone, as the kernel tells of copies. A number is forgotten when its process ends, or when
/// another process with it is looked at.
///
/// Spec: Protocol/13-agent.md §8.
struct Lineages: Sendable {
  /// The most processes that were started and not looked at.
  static let capacity = 4_096

  private struct Source {
    var app: AppID
    var startTime: UInt64
    /// What was started before was not started by it: the process ran another program then.
    var since: BootInstant
  }

  private var sources: [Int32: Source] = [:]
  /// What was started and not looked at, since the last look at everything and before that.
  private var (unseen, older): ([Int32: AppID], [Int32: AppID]) = ([:], [:])

  /// A Boolean value that indicates whether no process hands on anything.
  var isEmpty: Bool { sources.isEmpty && unseen.isEmpty && older.isEmpty }

  /// Notes what a process hands on; `nil` for nothing.
  mutating func set(_ process: ProcessIdentity, handsOn app: AppID?, since: BootInstant) {
    sources[process.processID] = app.map { app in Source(app: app, startTime: process.startTime, since: since) }
  }

  mutating func ended(_ process: ProcessIdentity) {
    if sources[process.processID]?.startTime == process.startTime { sources[process.processID] = nil }
  }

  /// Notes that a process was started as a copy of another one.
  mutating func forked(_ child: Int32, of parent: Int32) {
    guard !isEmpty else { return }
    let app = sources[parent]?.app ?? unseen[parent] ?? older[parent]
    // The number may have been another process's before.
    (unseen[child], older[child]) = (nil, nil)
    if let app, unseen.count < Self.capacity { unseen[child] = app }
  }

  /// Returns what the kernel told that a process was started with, once.
  mutating func take(_ child: Int32) -> AppID? {
    unseen.removeValue(forKey: child) ?? older.removeValue(forKey: child)
  }

  func handed(to child: ProcessFacts) -> AppID? {
    guard let source = sources[child.parent], source.startTime <= child.identity.startTime,
      // The kernel counts starts in hundredths of a second.
      child.startedAt + 10 >= source.since
    else { return nil }
    return source.app
  }

  /// Forgets what was started before the last look and has ended unseen.
  mutating func looked() { (unseen, older) = ([:], unseen) }
}
