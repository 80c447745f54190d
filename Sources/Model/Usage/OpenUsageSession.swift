/// A session in progress, as the child's database stores it between heartbeats.
///
/// It lasts as long as any of its programs is running: two windows of one application count once.
@dynamicMemberLookup public struct OpenUsageSession: Hashable, Sendable {
  /// The record that it becomes, with the terms at its start.
  ///
  /// It ends at the last heartbeat for now, and its use and points are known when it has ended.
  public var record: UsageRecord
  /// The programs whose end was not observed yet.
  public var processes: [ProcessIdentity]
  /// The boot to which `startedAt` and `lastSeenAt` belong.
  public var bootID: String
  public var startedAt: BootInstant
  /// The last heartbeat on the boot clock.
  public var lastSeenAt: BootInstant
  /// When a rule closed the program, on the boot clock; `nil` if none has.
  public var closedAt: BootInstant?
  /// The time of activity, if the system agent sees the programs and they are learning or unknown
  /// programs that only count; otherwise `nil`.
  ///
  /// For unknown programs that are rewards, it is the time before the last pause, and `clock` is
  /// the end of that pause.
  public var activity: SessionActivity?
  /// A Boolean value that indicates whether a child can forge the match, so that it earns nothing.
  public var isWeak = false
  /// The children for whom it counts, by ID, if they share the account and none is named.
  public var sharers: [SessionSharer] = []

  public init(
    _ record: UsageRecord, processes: [ProcessIdentity], bootID: String, startedAt: BootInstant, lastSeenAt: BootInstant
  ) {
    (self.record, self.processes, self.bootID) = (record, processes, bootID)
    (self.startedAt, self.lastSeenAt) = (startedAt, lastSeenAt)
  }

  /// A value of the record.
  public subscript<Value>(dynamicMember path: WritableKeyPath<UsageRecord, Value>) -> Value {
    get { record[keyPath: path] }
    set { record[keyPath: path] = newValue }
  }

  /// How long a session of unknown programs waits for the next one, in milliseconds (06 §5).
  public static let pauseMilliseconds: Int64 = 60_000

  /// A Boolean value that indicates whether it is a session of unknown programs in which no known
  /// process runs.
  ///
  /// Such a session was last used at `lastSeenAt`.
  public var isPaused: Bool { record.appID.isOfMany && processes.isEmpty }

  /// How long a caller may correct what the agent saw first, in milliseconds (06 §5).
  public static let justSeenMilliseconds: Int64 = 10_000

  /// Returns whether the agent has just reported the session's only program, and that is a known
  /// one.
  public func isJustSeen(by now: BootInstant) -> Bool {
    record.evidence == .observed && !record.appID.isOfMany && processes.count == 1
      && now - startedAt <= Self.justSeenMilliseconds
  }

  /// Returns the time that counts as use up to an instant of its boot, in milliseconds.
  ///
  /// For learning, and for unknown programs that only count, that is the time of activity if it is
  /// known. Otherwise, it is all the time for which a program ran.
  public func activeMilliseconds(until end: BootInstant) -> Int64 {
    let end = isPaused ? min(end, lastSeenAt) : end
    let running = min(max(0, end - startedAt), HybridTimestamp.wallLimit - 1)
    guard let activity else { return running }
    switch (record.category, record.appID) {
    case (.learning, _), (.neutral, .unknownPrograms), (.neutral, .otherPrograms), (.neutral, .screenTime):
      return min(running, max(0, activity.milliseconds))
    case (.reward, .unknownPrograms):
      let sincePause = isPaused ? 0 : max(0, end - BootInstant(milliseconds: activity.clock))
      return min(running, max(0, activity.milliseconds) + sincePause)
    default: return running
    }
  }

  /// Returns its record if it ends at an instant of its boot, which is `wall` in Unix milliseconds.
  ///
  /// The wall clock may have been set back, but a session never ends before it starts.
  public func ended(at end: BootInstant, wall: Int64) -> UsageRecord {
    var record = record
    record.sessionEnd = max(record.sessionStart, min(wall, HybridTimestamp.wallLimit - 1))
    record.activeMilliseconds = activeMilliseconds(until: end)
    return record
  }
}

/// A process of one boot, which its number and its start time identify.
public struct ProcessIdentity: Hashable, Sendable, Codable {
  public var processID: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot.
  public var startTime: UInt64

  public init(processID: Int32, startTime: UInt64) { (self.processID, self.startTime) = (processID, startTime) }
}

/// The time for which a person used a session's application, by the system agent's activity clock.
///
/// Spec: Protocol/13-agent.md §9.
public struct SessionActivity: Hashable, Sendable {
  /// A reading of an agent's clock.
  public struct Reading: Hashable, Sendable {
    /// The run of the agent; the clocks of another run begin at 0.
    public var run: UInt64
    /// What the clock shows, in milliseconds.
    public var milliseconds: Int64

    public init(run: UInt64, milliseconds: Int64) { (self.run, self.milliseconds) = (run, milliseconds) }
  }

  /// The run of the agent whose clock was read last.
  public var run: UInt64
  /// What that clock showed, in milliseconds.
  public var clock: Int64
  /// The time of activity in the session so far, in milliseconds.
  public var milliseconds: Int64

  public init(run: UInt64, clock: Int64, milliseconds: Int64 = 0) {
    (self.run, self.clock, self.milliseconds) = (run, clock, milliseconds)
  }

  /// Adds the time that has passed on the agent's clock since the last reading.
  public mutating func add(_ reading: Reading) {
    if reading.run == run { milliseconds += max(0, reading.milliseconds - clock) }
    clock = reading.run == run ? max(clock, reading.milliseconds) : reading.milliseconds
    run = reading.run
  }
}

/// A child for whom a session counts in an account that several children share, while no child is
/// named.
///
/// Spec: Protocol/06-messages.md §5.
public struct SessionSharer: Hashable, Sendable {
  public var child: ChildID
  /// The application's category by the child's rules; learning counts as neutral.
  public var category: AppCategory

  public init(child: ChildID, category: AppCategory) {
    self.child = child
    self.category = category == .learning ? .neutral : category
  }
}

extension OpenUsageSession {
  /// Returns the records of a session that becomes `record`: one for each child for whom it counts.
  ///
  /// The first keeps the session's ID. Those of the others follow from it, so that the same end
  /// makes the same records.
  public func records(from record: UsageRecord) -> [UsageRecord] {
    guard !sharers.isEmpty else { return [record] }
    return sharers.enumerated().map { index, sharer in
      var each = record
      if index > 0 { each.recordID = record.recordID.combined(with: sharer.child) }
      (each.child, each.category) = (sharer.child, sharer.category)
      (each.milliPointsPerMinute, each.earnedMilliPoints) = (0, 0)
      return each
    }
  }
}

extension RecordID {
  /// Returns the ID that follows from this one and a child: the exclusive or of both.
  fileprivate func combined(with child: ChildID) -> RecordID {
    RecordID(bytes: zip(bytes, child.bytes).map { $0 ^ $1 }) ?? self
  }
}
