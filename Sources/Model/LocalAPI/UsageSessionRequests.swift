/// `POST /v1/usage/sessions`: a program has started that is to be recorded. Only a child's node takes it.
public struct UsageStartRequest: Hashable, Sendable, Codable {
  public var appID: String
  public var displayName: String?
  public var processID: Int32
  /// Field 22 of /proc/PID/stat.
  public var processStartTime: UInt64
  /// CLOCK_BOOTTIME milliseconds.
  public var startedAt: BootInstant
  /// Unix milliseconds.
  public var startedAtWall: Int64
  public var zone: String

  public init(
    appID: String, displayName: String? = nil, processID: Int32, processStartTime: UInt64, startedAt: BootInstant,
    startedAtWall: Int64, zone: String
  ) {
    self.appID = appID
    self.displayName = displayName
    self.processID = processID
    self.processStartTime = processStartTime
    self.startedAt = startedAt
    self.startedAtWall = startedAtWall
    self.zone = zone
  }
}

/// The answer: the session is durable and will be recorded even if everything is killed from here on.
public struct UsageStarted: Hashable, Sendable, Codable {
  public var recordID: RecordID
  /// The application's rules on this machine, if any.
  public var configuration: AppConfiguration?
  public var enforcement: Enforcement

  public init(recordID: RecordID, configuration: AppConfiguration?, enforcement: Enforcement) {
    self.recordID = recordID
    self.configuration = configuration
    self.enforcement = enforcement
  }
}

/// `POST /v1/usage/sessions/{recordID}/end`: the program has ended. Saying it twice is one record.
public struct UsageEndRequest: Hashable, Sendable, Codable {
  public var endedAt: BootInstant
  public var endedAtWall: Int64

  public init(endedAt: BootInstant, endedAtWall: Int64) {
    self.endedAt = endedAt
    self.endedAtWall = endedAtWall
  }
}
