/// A running session with its use so far.
public struct RunningUse: Hashable, Sendable, Codable, InventoryEntry {
  /// The ID that the session's record will have.
  public var recordID: RecordID
  /// The number of the operating system's account; `nil` if it is unknown.
  public var account: UInt32?
  public var child: ChildID?
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
  /// A Boolean value that indicates whether the session only waits for its next program.
  public var isPaused: Bool

  public init(
    recordID: RecordID, account: UInt32?, child: ChildID?, appID: AppID, displayName: String, category: AppCategory,
    milliPointsPerMinute: Int64, since: Int64, activeMilliseconds: Int64, isPaused: Bool = false
  ) {
    (self.recordID, self.account, self.child, self.appID) = (recordID, account, child, appID)
    (self.displayName, self.category, self.milliPointsPerMinute) = (displayName, category, milliPointsPerMinute)
    (self.since, self.activeMilliseconds, self.isPaused) = (since, activeMilliseconds, isPaused)
  }

  /// Returns a running session once for each child for whom it counts.
  public static func of(_ session: OpenUsageSession, at now: BootInstant, isPaused: Bool? = nil) -> [RunningUse] {
    let isPaused = isPaused ?? session.isPaused
    let active = session.activeMilliseconds(until: now)
    return session.records(from: session.record).map { record in
      RunningUse(
        recordID: record.recordID, account: record.account, child: record.child, appID: record.appID,
        displayName: record.displayName, category: record.category, milliPointsPerMinute: record.milliPointsPerMinute,
        since: record.householdStart, activeMilliseconds: active, isPaused: isPaused)
    }
  }

  /// Returns the running sessions as a list, in the order of their IDs.
  ///
  /// If there are too many, rewards are kept first, because they cost points, and then the time at
  /// the machine, which says most about a child's day.
  package static func list(_ uses: [RunningUse]) -> EntryList<RunningUse> {
    let byID = uses.sorted { $0.recordID.bytes.lexicographicallyPrecedes($1.recordID.bytes) }
    var kept: [RunningUse] = []
    for rank in 0...2 { kept += byID.filter { $0.rank == rank }.prefix(most - kept.count) }
    let known = Set(kept.map(\.recordID))
    return EntryList(byID.filter { known.contains($0.recordID) }, more: byID.count - kept.count)
  }

  private var rank: Int { category == .reward ? 0 : appID == .screenTime ? 1 : 2 }

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

  package static let most = 48

  package static let inventory = InventoryKind(
    name: "running", most: most, isShared: true, isRepeated: true, news: .use, about: .today)

  package var lines: [String] {
    [
      Hexadecimal.encode(recordID.bytes), account.map { String($0) } ?? "",
      child.map { Hexadecimal.encode($0.bytes) } ?? "", appID.text, displayName, category.rawValue,
      String(milliPointsPerMinute), String(since), String(activeMilliseconds),
    ] + (isPaused ? [Self.pausedWord] : [])
  }

  package init?(lines: [String]) {
    guard lines.count == 9 || lines.count == 10 && lines[9] == Self.pausedWord,
      let record = Hexadecimal.decode(lines[0]).flatMap({ RecordID(bytes: $0) }),
      let appID = AppID(lines[3]), let category = AppCategory(rawValue: lines[5]), let rate = Int64(lines[6]),
      let since = Int64(lines[7]), let active = Int64(lines[8])
    else { return nil }
    self.init(
      recordID: record, account: UInt32(lines[1]), child: Hexadecimal.decode(lines[2]).flatMap { ChildID(bytes: $0) },
      appID: appID, displayName: lines[4], category: category, milliPointsPerMinute: rate, since: since,
      activeMilliseconds: active, isPaused: lines.count == 10)
  }

  /// The last line of a paused session.
  private static let pausedWord = "paused"
}
