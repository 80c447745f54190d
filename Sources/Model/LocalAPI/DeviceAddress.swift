/// One address of a paired device, as `GET /v1/devices` lists it.
///
/// Spec: Protocol/07-local-api.md §4.
public struct DeviceAddress: Hashable, Sendable, Codable {
  /// The address as `host:port`.
  public var address: String
  /// How the address was learned.
  public var source: AddressSource
  /// A Boolean value that indicates whether the device was reached there on the present network;
  /// `nil` if that is unknown.
  public var isOfThisNetwork: Bool?
  /// A Boolean value that indicates whether a session is open there.
  public var isInUse: Bool
  /// The time of the last session or pairing there in Unix milliseconds.
  ///
  /// It is `nil` if there was none; such an address is not kept over a restart.
  public var lastSuccessAt: Int64?
  /// The time of the last failed attempt in Unix milliseconds; `nil` for none.
  public var lastFailureAt: Int64?
  /// The reason of that failure, in one sentence.
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
