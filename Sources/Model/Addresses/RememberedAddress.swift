/// An address that is kept because a device has proved its key there, and how it has done since.
public struct RememberedAddress: Hashable, Sendable {
  public var reached: ReachedAddress
  /// Unix milliseconds.
  public var lastSuccessAt: Int64
  /// Unix milliseconds of the last try that failed on that network; nil for none.
  public var lastFailureAt: Int64?
  /// Why that failed, in one sentence.
  public var failure: String?

  public init(reached: ReachedAddress, lastSuccessAt: Int64, lastFailureAt: Int64? = nil, failure: String? = nil) {
    self.reached = reached
    self.lastSuccessAt = lastSuccessAt
    self.lastFailureAt = lastFailureAt
    self.failure = failure
  }
}
