/// One address of a paired device; `GET /v1/devices`.
///
/// Spec: Protocol/07-local-api.md §4.
public struct DeviceAddress: Hashable, Sendable, Codable {
  /// `host:port`.
  public var address: String
  public var source: AddressSource
  /// Whether it was reached on the network that this machine is on now; nil when it never was, or nobody knows.
  public var isOfThisNetwork: Bool?
  /// Whether a session is open there now.
  public var isInUse: Bool
  /// Unix milliseconds of the last session or pairing there; nil for none, and then the address outlives no restart.
  public var lastSuccessAt: Int64?
  /// Unix milliseconds of the last try that failed; nil for none.
  public var lastFailureAt: Int64?
  /// Why that failed, in one sentence.
  public var failure: String?

  public init(
    address: String, source: AddressSource, isOfThisNetwork: Bool? = nil, isInUse: Bool = false,
    lastSuccessAt: Int64? = nil, lastFailureAt: Int64? = nil, failure: String? = nil
  ) {
    self.address = address
    self.source = source
    self.isOfThisNetwork = isOfThisNetwork
    self.isInUse = isInUse
    self.lastSuccessAt = lastSuccessAt
    self.lastFailureAt = lastFailureAt
    self.failure = failure
  }
}
