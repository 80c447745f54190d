/// The reason why the node did not answer a request completely.
enum ExchangeFault: Error, Hashable, Sendable {
  case unavailable(NodeUnavailable.Reason)
  /// The connection ended before the answer did.
  case broken
  /// No complete answer arrived in time.
  case timedOut
  /// The answer is larger than `LocalJSON.responseBytes`.
  case tooLong
}
