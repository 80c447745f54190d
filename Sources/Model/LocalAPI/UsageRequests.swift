/// A query of `GET /v1/usage` for the sessions that overlap a range, clipped to it, newest first.
public struct UsageQuery: Hashable, Sendable, Codable {
  /// A device's name, its ID or an unambiguous prefix of the ID; `nil` for all devices.
  public var device: String?
  /// The application's ID; `nil` for all applications.
  public var appID: String?
  /// The start of the range in Unix milliseconds, inclusive; `nil` for no limit.
  public var from: Int64?
  /// The end of the range in Unix milliseconds, exclusive; `nil` for no limit.
  public var to: Int64?
  /// The number of sessions on a page, 1 to 10,000.
  public var limit: Int
  /// The `next` of the previous page; `nil` for the first page.
  public var cursor: String?

  public init(
    device: String? = nil, appID: String? = nil, from: Int64? = nil, to: Int64? = nil, limit: Int = 1_000,
    cursor: String? = nil
  ) {
    (self.device, self.appID, self.from) = (device, appID, from)
    (self.to, self.limit, self.cursor) = (to, limit, cursor)
  }

  /// The values of the query, as the endpoint takes them.
  public var parts: (String?, String?, Int64?, Int64?, Int, String?) { (device, appID, from, to, limit, cursor) }
}

extension UsageStartRequest: CheckedRequest {
  public var textFault: String? {
    TextRule.appID.fault(in: appID) ?? displayName.flatMap { TextRule.displayName.fault(in: $0) }
      ?? TextRule.zone.fault(in: zone)
  }
}

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
    (self.appID, self.displayName, self.processID) = (appID, displayName, processID)
    (self.processStartTime, self.startedAt, self.startedAtWall) = (processStartTime, startedAt, startedAtWall)
    self.zone = zone
  }
}
