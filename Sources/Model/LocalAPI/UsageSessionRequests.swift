/// The body of `POST /v1/usage/sessions`, which starts to record a program.
///
/// Only a child's node accepts it. The times are checked and not stored: the session begins when
/// the node accepts the request, by the node's own clocks.
public struct UsageStartRequest: Hashable, Sendable, Codable {
  public var appID: String
  /// The application's name for people; `nil` for the name in the rules, or else the ID.
  public var displayName: String?
  public var processID: Int32
  /// The start time of the process: field 22 of /proc/PID/stat, in clock ticks since boot.
  public var processStartTime: UInt64
  /// The start by CLOCK_BOOTTIME in milliseconds.
  public var startedAt: BootInstant
  /// The start by the wall clock in Unix milliseconds.
  public var startedAtWall: Int64
  /// The IANA name of the caller's time zone.
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
