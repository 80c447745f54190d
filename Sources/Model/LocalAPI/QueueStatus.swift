/// The queue for one peer in one class.
public struct QueueStatus: Hashable, Sendable, Codable {
  public var streamClass: StreamClass
  public var waitingItems: Int64
  public var waitingBytes: Int64
  /// The number of items that were sent and are not yet reported as stored.
  public var inFlightItems: Int64
  /// The last number that the peer reported as stored; 0 for none.
  public var storedThrough: UInt64
  /// The time since the oldest waiting item was queued, in milliseconds.
  public var oldestAgeMilliseconds: Int64?
  /// The time in Unix milliseconds at which the peer last reported an item of this class as stored.
  public var lastStoredAt: Int64?
  /// The items that left the queue undelivered, by fate; fates without items are omitted.
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
