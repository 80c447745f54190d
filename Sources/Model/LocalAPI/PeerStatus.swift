/// A paired device with its link and its queues.
public struct PeerStatus: Hashable, Sendable, Codable {
  public var device: RegisteredDevice
  /// A Boolean value that indicates whether an authenticated session is open.
  public var isConnected: Bool
  /// The address at which the device can be dialed, such as `192.168.1.5:41234`.
  ///
  /// It is that of the open session, or else the first of `addresses`. It has no port if the device
  /// dialed this machine and has not stated on which port it listens.
  public var address: String?
  /// The state of the exchange with the device.
  public var sync: SyncState
  /// The queues for the device, one for each class.
  public var queues: [QueueStatus]
  /// The reason of the last failure, in one sentence.
  public var lastError: String?
  /// The exceptional conditions of the device, in the order of the enumeration.
  public var marks: [PeerMark]
  /// The number of failed attempts to reach the device since the last contact.
  public var retries: Int
  /// The time until the next attempt in milliseconds, counted from the answer.
  ///
  /// It is `nil` during a session or an attempt, and while no address is known; the device is then
  /// dialed as soon as it appears on the network.
  public var nextTryInMilliseconds: Int64?
  /// The known addresses: the one in use first, then by the last success; at most 32.
  public var addresses: [DeviceAddress]
  /// On a parent's node, the other parents that the child's machine reports, latest first; `nil`
  /// for none.
  public var otherParents: [OtherParent]?

  public init(
    device: RegisteredDevice, isConnected: Bool, address: String?, sync: SyncState, queues: [QueueStatus],
    lastError: String?, marks: [PeerMark] = [], retries: Int = 0, nextTryInMilliseconds: Int64? = nil,
    addresses: [DeviceAddress] = []
  ) {
    self.device = device
    self.isConnected = isConnected
    self.address = address
    self.sync = sync
    self.queues = queues
    self.lastError = lastError
    self.marks = marks
    self.retries = retries
    self.nextTryInMilliseconds = nextTryInMilliseconds
    self.addresses = addresses
  }
}
