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
  /// On a parent's node, the other parents of the child's machine, latest first.
  public var otherParents: [OtherParent]?

  public init(
    device: RegisteredDevice, isConnected: Bool, address: String?, sync: SyncState, queues: [QueueStatus],
    lastError: String?, marks: [PeerMark] = [], retries: Int = 0, nextTryInMilliseconds: Int64? = nil,
    addresses: [DeviceAddress] = []
  ) {
    (self.device, self.isConnected, self.address, self.sync) = (device, isConnected, address, sync)
    (self.queues, self.lastError, self.marks, self.retries) = (queues, lastError, marks, retries)
    (self.nextTryInMilliseconds, self.addresses) = (nextTryInMilliseconds, addresses)
  }
}

/// A condition of a paired device that a person should know, as `GET /v1/devices` reports it.
///
/// Several can apply at once; they are listed in the order of the cases.
///
/// Spec: Protocol/07-local-api.md §4.
public enum PeerMark: String, Codable, Sendable, Hashable, CaseIterable {
  /// No session has been open since the pairing.
  case neverConnected = "never-connected"
  /// Two running machines use the device's keys; nothing is exchanged until it is released.
  case quarantined
  /// The device was removed on this machine and has not been notified yet.
  case removalUntold = "removal-untold"
  /// The device has not confirmed the new keys that it was sent after another device was removed.
  case rotationOutstanding = "rotation-outstanding"
}

/// The queue for one peer in one class.
public struct QueueStatus: Hashable, Sendable, Codable {
  public var streamClass: StreamClass
  public var waitingItems: Int64
  public var waitingBytes: Int64
  /// The number of items that were sent and are not yet reported as stored.
  public var inFlightItems: Int64
  /// The last number that the peer reported as stored; 0 for none.
  public var storedThrough: UInt64
  /// The time since the oldest waiting item was queued, in milliseconds.
  public var oldestAgeMilliseconds: Int64?
  /// The time in Unix milliseconds at which the peer last reported an item of this class as stored.
  public var lastStoredAt: Int64?
  /// The items that left the queue undelivered, by fate; fates without items are omitted.
  public var undelivered: [QueueTally]

  public init(
    streamClass: StreamClass, waitingItems: Int64, waitingBytes: Int64, inFlightItems: Int64, storedThrough: UInt64,
    oldestAgeMilliseconds: Int64?, lastStoredAt: Int64? = nil, undelivered: [QueueTally] = []
  ) {
    (self.streamClass, self.waitingItems) = (streamClass, waitingItems)
    (self.waitingBytes, self.inFlightItems) = (waitingBytes, inFlightItems)
    (self.storedThrough, self.oldestAgeMilliseconds) = (storedThrough, oldestAgeMilliseconds)
    (self.lastStoredAt, self.undelivered) = (lastStoredAt, undelivered)
  }
}

/// The items that left a queue with one fate, undelivered, since the first pairing.
public struct QueueTally: Hashable, Sendable, Codable {
  public var fate: DeliveryFate
  public var items: Int64
  /// The time of the last such item in Unix milliseconds by this machine's wall clock.
  public var lastAt: Int64

  public init(fate: DeliveryFate, items: Int64, lastAt: Int64) {
    (self.fate, self.items, self.lastAt) = (fate, items, lastAt)
  }
}

/// One address of a paired device, as `GET /v1/devices` lists it.
///
/// Spec: Protocol/07-local-api.md §4.
public struct DeviceAddress: Hashable, Sendable, Codable {
  /// The address as `host:port`.
  public var address: String
  public var source: AddressSource
  /// A Boolean value that indicates whether it belongs to the present network; `nil` for unknown.
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
    (self.address, self.source, self.isOfThisNetwork, self.isInUse) = (address, source, isOfThisNetwork, isInUse)
    (self.lastSuccessAt, self.lastFailureAt, self.failure) = (lastSuccessAt, lastFailureAt, failure)
  }
}

/// The progress of a node, or of its link to one device, in exchanging queued items.
public enum SyncState: Hashable, Sendable {
  /// There are no peers, or no attempt was made yet.
  case idle
  case connecting
  /// Items are in flight.
  case syncing(done: UInt64, total: UInt64)
  /// No items wait on either side since a time in Unix milliseconds.
  case synced(at: Int64)
  /// The last attempt failed.
  ///
  /// `nextTryInMilliseconds` counts from the moment of the answer. It is `nil` if no address of the
  /// device is known; the device is then dialed as soon as it appears on the network.
  case error(reason: String, nextTryInMilliseconds: Int64?)
}

extension SyncState: Codable {
  /// The member `state` of the JSON.
  private enum Word: String, Codable { case idle, connecting, syncing, synced, error }

  private enum Member: CodingKey { case state, done, total, at, reason, nextTryInMilliseconds }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self =
      switch try members.decode(Word.self, forKey: .state) {
      case .idle: .idle
      case .connecting: .connecting
      case .syncing:
        .syncing(
          done: try members.decode(UInt64.self, forKey: .done), total: try members.decode(UInt64.self, forKey: .total))
      case .synced: .synced(at: try members.decode(Int64.self, forKey: .at))
      case .error:
        .error(
          reason: try members.decode(String.self, forKey: .reason),
          nextTryInMilliseconds: try members.decodeIfPresent(Int64.self, forKey: .nextTryInMilliseconds))
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    switch self {
    case .idle: try members.encode(Word.idle, forKey: .state)
    case .connecting: try members.encode(Word.connecting, forKey: .state)
    case .syncing(let done, let total):
      try members.encode(Word.syncing, forKey: .state)
      try members.encode(done, forKey: .done)
      try members.encode(total, forKey: .total)
    case .synced(let at):
      try members.encode(Word.synced, forKey: .state)
      try members.encode(at, forKey: .at)
    case .error(let reason, let nextTry):
      try members.encode(Word.error, forKey: .state)
      try members.encode(reason, forKey: .reason)
      try members.encodeIfPresent(nextTry, forKey: .nextTryInMilliseconds)
    }
  }
}
