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
    /// A Boolean value that indicates whether a session with the device is open.
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
      (self.deviceID, self.name, self.role, self.addresses) = (deviceID, name, role, addresses)
      (self.isConnected, self.isAnswering, self.lastSeenAt) = (isConnected, isAnswering, lastSeenAt)
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
    (self.members, self.invitations, self.others, self.discovery) = (members, invitations, others, discovery)
  }
}

/// The means by which a node finds other machines, as the local API names it.
///
/// Spec: Protocol/02-discovery.md §5, 07-local-api.md §4.
public enum DiscoveryBackend: String, Sendable, Hashable, CaseIterable {
  /// The back end has not been chosen yet.
  case starting
  /// The system's avahi-daemon, over D-Bus.
  case avahiDaemon = "avahi-daemon"
  /// The mDNS stack inside this process.
  case embedded
  /// Only addresses that a person gave; the node searches and announces nothing.
  case fixed = "static"

  /// A sentence for people, without a full stop.
  public var sentence: String {
    switch self {
    case .starting: "Is getting ready to find machines"
    case .avahiDaemon: "Finds machines through avahi-daemon"
    case .embedded: "Finds machines by itself, without avahi-daemon"
    case .fixed: "Does not look for machines: only given addresses are used"
    }
  }

  /// A Boolean value that indicates whether the back end searches the network.
  public var isLooking: Bool { self == .avahiDaemon || self == .embedded }

  /// Returns the sentence of a back end's name, or any other text of `NodeStatus.discovery` as it
  /// is.
  public static func sentence(of state: String) -> String { DiscoveryBackend(rawValue: state)?.sentence ?? state }
}
