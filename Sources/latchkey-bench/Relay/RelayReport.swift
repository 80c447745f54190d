/// What a relay run measured.
struct RelayReport: Codable, Sendable {
  var messages: Int
  var size: Int
  var concurrency: Int
  /// From the first accepted to the last stored.
  var messagesPerSecond: Double
  /// From the first accepted to the last receipt.
  var executedPerSecond: Double
  /// Accepted to stored, of the messages of the run.
  var p50Microseconds: Int64
  var p99Microseconds: Int64
  /// The same with one message under way at a time.
  var singleP50Microseconds: Int64
  var singleP99Microseconds: Int64
  var parentRSSBytes: Int64
  var childRSSBytes: Int64
  /// The child's before the first message.
  var idleChildRSSBytes: Int64
}
