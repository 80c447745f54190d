/// Which sessions `GET /v1/usage` lists: those that overlap the range, clipped to it, newest first.
public struct UsageQuery: Hashable, Sendable, Codable {
  /// A name, an ID or the beginning of one; nil for every device this node knows usage of.
  public var device: String?
  public var appID: String?
  /// Unix milliseconds, the first one in the range.
  public var from: Int64?
  /// Unix milliseconds, the first one after the range.
  public var to: Int64?
  /// 1 to 10,000 sessions a page.
  public var limit: Int
  /// The `next` of the page before.
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
}
