/// Why an exchange with the node brought no whole answer.
enum ExchangeFault: Error, Hashable, Sendable {
  case unavailable(NodeUnavailable.Reason)
  /// The connection ended before the answer did.
  case broken
  /// No whole answer in time.
  case timedOut
  /// The answer is larger than `LocalJSON.responseBytes`.
  case tooLong
}
