/// A session that runs, as far as it has come.
public struct RunningUse: Hashable, Sendable, Codable {
  /// The ID that the session's record will have.
  public var recordID: RecordID
  /// The number of the operating system's account; `nil` if it is unknown.
  public var account: UInt32?
  /// The child who uses it; `nil` for none.
  public var child: ChildID?
  /// The application's ID.
  public var appID: AppID
  /// The application's name for people.
  public var displayName: String
  /// The category at the start of the session.
  public var category: AppCategory
  /// The rate at the start of the session in milli-points per minute.
  public var milliPointsPerMinute: Int64
  /// The start in household time, Unix milliseconds.
  public var since: Int64
  /// The time of use so far, in milliseconds.
  public var activeMilliseconds: Int64

  /// Creates a running session.
  public init(
    recordID: RecordID, account: UInt32?, child: ChildID?, appID: AppID, displayName: String, category: AppCategory,
    milliPointsPerMinute: Int64, since: Int64, activeMilliseconds: Int64
  ) {
    self.recordID = recordID
    self.account = account
    self.child = child
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.milliPointsPerMinute = milliPointsPerMinute
    self.since = since
    self.activeMilliseconds = activeMilliseconds
  }

  /// Creates what an open session is at an instant of its boot.
  public init(_ session: OpenUsageSession, at now: BootInstant) {
    self.init(
      recordID: session.recordID, account: session.account, child: session.child, appID: session.appID,
      displayName: session.displayName, category: session.category,
      milliPointsPerMinute: session.milliPointsPerMinute, since: session.householdStart,
      activeMilliseconds: session.activeMilliseconds(until: now))
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? {
    if let fault = TextRule.displayName.fault(in: displayName) { return fault }
    let times = HybridTimestamp.walls
    if !times.contains(since) { return "The session is at a time that no calendar has." }
    if !times.contains(activeMilliseconds) { return "The active time is negative or longer than anyone lives." }
    if !Limits.milliPointsPerMinute.contains(milliPointsPerMinute) {
      return "The rate is not between 0 and 1,000,000 points a minute."
    }
    return nil
  }
}

/// What runs on a child's machine now.
///
/// Spec: Protocol/10-household.md §4.
public struct RunningList: Hashable, Sendable {
  /// The most sessions that a list names: those with the lowest IDs.
  public static let most = 48

  /// The machine on which they run.
  public var device: DeviceID
  /// The number of the list, which counts the lists of the machine.
  public var number: UInt64
  /// The sessions in the order of their IDs.
  public private(set) var entries: [RunningUse]

  /// Creates a list, which holds at most the first 48 sessions in the order of their IDs.
  public init(device: DeviceID, number: UInt64, entries: [RunningUse]) {
    self.device = device
    self.number = number
    let sorted = entries.sorted { $0.recordID.bytes.lexicographicallyPrecedes($1.recordID.bytes) }
    self.entries = Array(sorted.prefix(Self.most))
  }

  /// Returns the list with the sessions of some children only.
  public func of(_ children: Set<ChildID>) -> RunningList {
    var list = self
    list.entries.removeAll { entry in entry.child.map { !children.contains($0) } ?? true }
    return list
  }

  /// Returns the list without the child of each session of a child that is not among some.
  public func naming(_ children: Set<ChildID>) -> RunningList {
    var list = self
    for index in list.entries.indices {
      if let child = list.entries[index].child, !children.contains(child) { list.entries[index].child = nil }
    }
    return list
  }
}
