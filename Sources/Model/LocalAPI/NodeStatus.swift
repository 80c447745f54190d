/// `GET /v1/status`.
public struct NodeStatus: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  public var version: String
  public var processID: Int32
  /// Where it listens, such as `0.0.0.0:41234`.
  public var listening: [String]
  /// What finds peers: `avahi-daemon`, `embedded`, `static` or `starting`, or why none does.
  public var discovery: String
  /// The interfaces that `run --interfaces` names; nil when all that are not virtual are used.
  public var interfaces: [String]?
  public var sync: SyncState
  public var peers: [PeerStatus]
  /// Those that are peers no more and whose queues left something undelivered, the latest first, at most 20.
  public var former: [FormerPeer]
  /// Texts that parents sent, newest first, at most 20.
  public var messages: [ReceivedMessage]
  /// Things a person should know, one sentence each with a next step.
  public var warnings: [String]
  public var residentBytes: Int64
  /// The disk that the database is on; `nil` from a node that has none.
  public var disk: DiskStatus?

  public init(
    deviceID: DeviceID, name: DeviceName, role: DeviceRole, version: String, processID: Int32, listening: [String],
    discovery: String, interfaces: [String]? = nil, sync: SyncState, peers: [PeerStatus], former: [FormerPeer] = [],
    messages: [ReceivedMessage],
    warnings: [String],
    residentBytes: Int64, disk: DiskStatus? = nil
  ) {
    self.deviceID = deviceID
    self.name = name
    self.role = role
    self.version = version
    self.processID = processID
    self.listening = listening
    self.discovery = discovery
    self.interfaces = interfaces
    self.sync = sync
    self.peers = peers
    self.former = former
    self.messages = messages
    self.warnings = warnings
    self.residentBytes = residentBytes
    self.disk = disk
  }
}
