/// A session that is still running, as the child's database holds it between heartbeats.
public struct OpenUsageSession: Hashable, Sendable, Codable {
  public var recordID: RecordID
  public var appID: AppID
  public var displayName: String
  public var processID: Int32
  /// Field 22 of /proc/PID/stat: tells a process from a later one of the same number.
  public var processStartTime: UInt64
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
    recordID: RecordID, appID: AppID, displayName: String, processID: Int32, processStartTime: UInt64, bootID: String,
    startedAt: BootInstant, lastSeenAt: BootInstant, startedAtWall: Int64, lastSeenAtWall: Int64, zone: String,
    category: AppCategory, milliPointsPerMinute: Int64, evidence: UsageEvidence
  ) {
    self.recordID = recordID
    self.appID = appID
    self.displayName = displayName
    self.processID = processID
    self.processStartTime = processStartTime
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
