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
    self.device = device
    self.appID = appID
    self.from = from
    self.to = to
    self.limit = limit
    self.cursor = cursor
  }

  /// The values of the query, as the endpoint takes them.
  public var parts: (String?, String?, Int64?, Int64?, Int, String?) { (device, appID, from, to, limit, cursor) }
}
