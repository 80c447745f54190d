/// The body of `POST /v1/usage/sessions`: a program has started that is to be recorded.
///
/// Only a child's node takes it.
///
/// The times are checked and not kept: the session begins when the node takes the request, by the node's own clocks.
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
  /// The user ID of the caller as the kernel tells it, set by the server; never part of the JSON.
  ///
  /// `nil` for the node's user.
  public var caller: UInt32?

  private enum CodingKeys: CodingKey {
    case appID, displayName, processID, processStartTime, startedAt, startedAtWall, zone
  }

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
