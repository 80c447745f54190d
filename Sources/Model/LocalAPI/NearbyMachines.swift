/// `GET /v1/nearby`: what announces itself on the network.
///
/// A hint: anybody can announce anything.
public struct NearbyMachines: Hashable, Sendable, Codable {
  /// A paired device that an announcement was recognised as.
  public struct Member: Hashable, Sendable, Codable {
    public var deviceID: DeviceID
    public var name: DeviceName
    public var role: DeviceRole
    /// `host:port`, at most 16.
    public var addresses: [String]
    /// Whether a session is open, however that was found.
    public var isConnected: Bool
    /// A Boolean value that indicates whether the device answers at an address that is announced; `nil` while that is
    /// not known.
    ///
    /// A machine that was switched off without a word stays announced for some minutes.
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

  /// By name.
  public var members: [Member]
  /// The first two symbols of each open typed code that others announce, in order.
  public var invitations: [String]
  /// Further machines that announce themselves, of which no more is known.
  public var others: Int
  /// What looks for them, as in `NodeStatus.discovery`.
  public var discovery: String

  public init(members: [Member], invitations: [String], others: Int, discovery: String) {
    self.members = members
    self.invitations = invitations
    self.others = others
    self.discovery = discovery
  }
}
