/// One paired device, its link and its queues.
public struct PeerStatus: Hashable, Sendable, Codable {
  public var device: RegisteredDevice
  /// Whether an authenticated session is open now.
  public var isConnected: Bool
  /// Where the device of the open session can be called, or else the first of `addresses`, such as `192.168.1.5:41234`; without
  /// a port while a device that called has not said on which it listens.
  public var address: String?
  public var sync: SyncState
  public var queues: [QueueStatus]
  /// Why the last try failed, in one sentence.
  public var lastError: String?
  /// What is out of the ordinary, in the order of the enumeration.
  public var marks: [PeerMark]
  /// Tries to reach it that failed since it was last in touch.
  public var retries: Int
  /// Milliseconds from the moment of the answer to the next try.
  ///
  /// `nil` while there is a session or a try is under way, and while no address of the device is known: then it is
  /// called as soon as it appears on the network.
  public var nextTryInMilliseconds: Int64?
  /// Where it may be, as far as is known: the one in use first, then by the last success; at most 32.
  public var addresses: [DeviceAddress]
  /// On a parent's node: what the child's machine says that it holds where this one set something else, the latest first, at
  /// most 32; `nil` for nothing.
  public var discrepancies: [Discrepancy]?
  /// On a parent's node: the other parents that the child's machine says it is paired with, the latest first; `nil` for none.
  public var otherParents: [OtherParent]?

  public init(
    device: RegisteredDevice, isConnected: Bool, address: String?, sync: SyncState, queues: [QueueStatus],
    lastError: String?, marks: [PeerMark] = [], retries: Int = 0, nextTryInMilliseconds: Int64? = nil,
    addresses: [DeviceAddress] = [], discrepancies: [Discrepancy]? = nil
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
    self.discrepancies = discrepancies
  }
}
