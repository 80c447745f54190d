/// The answer to `GET /v1/status`: the state of a node.
public struct NodeStatus: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  public var version: String
  public var processID: Int32
  /// The endpoints on which it listens, such as `0.0.0.0:41234`.
  public var listening: [String]
  /// The name of a `DiscoveryBackend`, or a sentence about why there is none.
  public var discovery: String
  /// The interfaces that `run --interfaces` names; `nil` if all that are not virtual are used.
  public var interfaces: [String]?
  /// The state of the exchange with all peers together.
  public var sync: SyncState
  public var peers: [PeerStatus]
  /// The removed devices, with what their queues left undelivered, latest first, at most 100.
  public var former: [FormerPeer]
  /// The texts that parents sent, newest first, at most 20.
  public var messages: [ReceivedMessage]
  /// Warnings for people, each one sentence with a next step.
  public var warnings: [String]
  /// The resident memory of the process in bytes.
  public var residentBytes: Int64
  /// The disk that holds the database; `nil` for a node without one.
  public var disk: DiskStatus?
  /// The running sessions on the children's machines; on a child's node, on this machine.
  public var running: [RunningNow]

  public init(
    deviceID: DeviceID, name: DeviceName, role: DeviceRole, version: String, processID: Int32, listening: [String],
    discovery: String, interfaces: [String]? = nil, sync: SyncState, peers: [PeerStatus], former: [FormerPeer] = [],
    messages: [ReceivedMessage], warnings: [String], residentBytes: Int64, disk: DiskStatus? = nil,
    running: [RunningNow] = []
  ) {
    (self.deviceID, self.name, self.role, self.version, self.processID) = (deviceID, name, role, version, processID)
    (self.listening, self.discovery, self.interfaces, self.sync) = (listening, discovery, interfaces, sync)
    (self.peers, self.former, self.messages, self.warnings) = (peers, former, messages, warnings)
    (self.residentBytes, self.disk, self.running) = (residentBytes, disk, running)
  }
}

/// A device that was unpaired or forgotten, with the items that its queues did not deliver.
public struct FormerPeer: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  /// The device's name at the time of its removal.
  public var name: DeviceName
  /// The queue of each class with undelivered items; empty if there are none.
  public var queues: [QueueStatus]

  public init(deviceID: DeviceID, name: DeviceName, queues: [QueueStatus]) {
    (self.deviceID, self.name, self.queues) = (deviceID, name, queues)
  }
}

/// A text that a parent sent with a `message` command.
public struct ReceivedMessage: Hashable, Sendable, Codable {
  public var commandID: CommandID
  /// The parent's machine that sent the message.
  public var author: DeviceID
  /// The text, 1 to 4,096 bytes of UTF-8.
  public var text: String
  /// The time of arrival in Unix milliseconds.
  public var at: Int64
  /// A Boolean value that indicates whether a person at this machine has read the message.
  public var isRead: Bool

  public init(commandID: CommandID, author: DeviceID, text: String, at: Int64, isRead: Bool = false) {
    (self.commandID, self.author, self.text, self.at, self.isRead) = (commandID, author, text, at, isRead)
  }
}

/// The disk that a node's database is on.
///
/// Spec: Protocol/07-local-api.md.
public struct DiskStatus: Hashable, Sendable, Codable {
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    case well
    /// The disk has no space for new work; stored data are read and delivered.
    case full
    case readOnly = "read-only"
    case faulty
    /// The database is damaged; the node writes nothing until it is restarted.
    case damaged
  }

  public var state: State
  /// The bytes that this user may still write; `nil` if the system does not report them.
  public var freeBytes: Int64?
  /// The size of the database file in bytes.
  public var databaseBytes: Int64
  /// The size of the write-ahead log in bytes.
  public var logBytes: Int64
  /// The bytes held in reserve for a full disk; 0 while the reserve is released.
  public var reserveBytes: Int64

  public init(state: State, freeBytes: Int64?, databaseBytes: Int64, logBytes: Int64, reserveBytes: Int64) {
    (self.state, self.freeBytes, self.databaseBytes) = (state, freeBytes, databaseBytes)
    (self.logBytes, self.reserveBytes) = (logBytes, reserveBytes)
  }
}

/// A session that runs on a child's machine, as the local API shows it.
public struct RunningNow: Hashable, Sendable, Codable {
  /// The ID that the session's record will have.
  public var recordID: RecordID
  public var childName: DeviceName?
  public var deviceID: DeviceID
  public var deviceName: DeviceName
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
  /// The start, Unix milliseconds.
  public var since: Int64
  /// The time of use so far, as far as known, in milliseconds.
  public var activeMilliseconds: Int64
  /// A Boolean value that indicates whether it may have ended, for lack of news.
  public var isStale: Bool

  public init(
    recordID: RecordID, childName: DeviceName?, deviceID: DeviceID, deviceName: DeviceName, appID: AppID,
    displayName: String, category: AppCategory, since: Int64, activeMilliseconds: Int64, isStale: Bool
  ) {
    (self.recordID, self.childName, self.deviceID, self.deviceName) = (recordID, childName, deviceID, deviceName)
    (self.appID, self.displayName, self.category, self.since) = (appID, displayName, category, since)
    (self.activeMilliseconds, self.isStale) = (activeMilliseconds, isStale)
  }
}
