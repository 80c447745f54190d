/// A stored address at which a device was authenticated, with its later results.
public struct RememberedAddress: Hashable, Sendable {
  /// The address with its source and network.
  public var reached: ReachedAddress
  /// The time of the last success in Unix milliseconds.
  public var lastSuccessAt: Int64
  /// The time of the last failure on that network in Unix milliseconds; `nil` if there was none.
  public var lastFailureAt: Int64?
  /// The reason of the last failure, in one sentence.
  public var failure: String?

  /// Creates a stored address.
  public init(reached: ReachedAddress, lastSuccessAt: Int64, lastFailureAt: Int64? = nil, failure: String? = nil) {
    self.reached = reached
    self.lastSuccessAt = lastSuccessAt
    self.lastFailureAt = lastFailureAt
    self.failure = failure
  }
}
