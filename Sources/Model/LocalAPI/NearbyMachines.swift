/// The answer to `GET /v1/nearby`: the machines that announce themselves on the network.
///
/// It is a hint, since any machine can announce anything.
public struct NearbyMachines: Hashable, Sendable, Codable {
  /// A paired device that was recognized by its announcement.
  public struct Member: Hashable, Sendable, Codable {
    public var deviceID: DeviceID
    public var name: DeviceName
    public var role: DeviceRole
    /// The announced addresses as `host:port`, at most 16.
    public var addresses: [String]
    /// A Boolean value that indicates whether a session with the device is open, however it was
    /// found.
    public var isConnected: Bool
    /// A Boolean value that indicates whether the device answers at an announced address; `nil`
    /// while that is unknown.
    ///
    /// A machine that was switched off without a goodbye remains announced for some minutes.
    public var isAnswering: Bool?
    /// When the device was last heard of in a session, in Unix milliseconds; `nil` for never.
    public var lastSeenAt: Int64?

    public init(
      deviceID: DeviceID, name: DeviceName, role: DeviceRole, addresses: [String], isConnected: Bool,
      isAnswering: Bool? = nil, lastSeenAt: Int64? = nil
    ) {
      self.deviceID = deviceID
      self.name = name
      self.role = role
      self.addresses = addresses
      self.isConnected = isConnected
      self.isAnswering = isAnswering
      self.lastSeenAt = lastSeenAt
    }
  }

  /// The recognized devices, by name.
  public var members: [Member]
  /// The first two symbols of each open typed code that others announce, in ascending order.
  public var invitations: [String]
  /// The number of other machines that announce themselves.
  public var others: Int
  /// The back end that searches, as in `NodeStatus.discovery`.
  public var discovery: String

  public init(members: [Member], invitations: [String], others: Int, discovery: String) {
    self.members = members
    self.invitations = invitations
    self.others = others
    self.discovery = discovery
  }
}
