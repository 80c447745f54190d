/// What waits for one peer in one class.
public struct QueueStatus: Hashable, Sendable, Codable {
  public var streamClass: StreamClass
  public var waitingItems: Int64
  public var waitingBytes: Int64
  public var inFlightItems: Int64
  /// The last number that the peer reported stored; 0 for none.
  public var storedThrough: UInt64
  /// Milliseconds since the oldest waiting item was accepted.
  public var oldestAgeMilliseconds: Int64?
  /// When the peer last reported anything of this class stored; Unix milliseconds.
  public var lastStoredAt: Int64?
  /// What left the queue without being delivered; fates that nothing met are left out.
  public var undelivered: [QueueTally]

  public init(
    streamClass: StreamClass, waitingItems: Int64, waitingBytes: Int64, inFlightItems: Int64, storedThrough: UInt64,
    oldestAgeMilliseconds: Int64?, lastStoredAt: Int64? = nil, undelivered: [QueueTally] = []
  ) {
    self.streamClass = streamClass
    self.waitingItems = waitingItems
    self.waitingBytes = waitingBytes
    self.inFlightItems = inFlightItems
    self.storedThrough = storedThrough
    self.oldestAgeMilliseconds = oldestAgeMilliseconds
    self.lastStoredAt = lastStoredAt
    self.undelivered = undelivered
  }
}
