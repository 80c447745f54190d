/// A session in progress, as the child's database stores it between heartbeats.
///
/// It lasts as long as any of its programs is running: two windows of one application count once.
public struct OpenUsageSession: Hashable, Sendable, Codable {
  public var recordID: RecordID
  public var appID: AppID
  public var displayName: String
  /// The programs whose end was not observed yet.
  public var processes: [ProcessIdentity]
  /// The boot to which `startedAt` and `lastSeenAt` belong.
  public var bootID: String
  public var startedAt: BootInstant
  public var lastSeenAt: BootInstant
  /// The start in Unix milliseconds.
  ///
  /// The same unit applies to `lastSeenAtWall`.
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
