/// A session that is still running, as the child's database holds it between heartbeats.
///
/// It lasts as long as any of its programs runs: two windows of one application count once.
public struct OpenUsageSession: Hashable, Sendable, Codable {
  public var recordID: RecordID
  public var appID: AppID
  public var displayName: String
  /// The programs that have not been seen to end.
  public var processes: [ProcessIdentity]
  /// The boot whose clock `startedAt` and `lastSeenAt` are read from.
  public var bootID: String
  public var startedAt: BootInstant
  public var lastSeenAt: BootInstant
  /// Unix milliseconds.
  public var startedAtWall: Int64
  public var lastSeenAtWall: Int64
  public var zone: String
  public var category: AppCategory
  public var milliPointsPerMinute: Int64
  public var evidence: UsageEvidence

  public init(
    recordID: RecordID, appID: AppID, displayName: String, processes: [ProcessIdentity], bootID: String,
    startedAt: BootInstant, lastSeenAt: BootInstant, startedAtWall: Int64, lastSeenAtWall: Int64, zone: String,
    category: AppCategory, milliPointsPerMinute: Int64, evidence: UsageEvidence
  ) {
    self.recordID = recordID
    self.appID = appID
    self.displayName = displayName
    self.processes = processes
    self.bootID = bootID
    self.startedAt = startedAt
    self.lastSeenAt = lastSeenAt
    self.startedAtWall = startedAtWall
    self.lastSeenAtWall = lastSeenAtWall
    self.zone = zone
    self.category = category
    self.milliPointsPerMinute = milliPointsPerMinute
    self.evidence = evidence
  }
}
