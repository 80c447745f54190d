/// The answer to `GET /v1/status`: the state of a node.
public struct NodeStatus: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  /// The version of the node's software.
  public var version: String
  public var processID: Int32
  /// The endpoints on which it listens, such as `0.0.0.0:41234`.
  public var listening: [String]
  /// The back end that finds peers, `avahi-daemon`, `embedded`, `static` or `starting`, or a
  /// sentence about why there is none.
  public var discovery: String
  /// The interfaces that `run --interfaces` names; `nil` if all that are not virtual are used.
  public var interfaces: [String]?
  /// The state of the exchange with all peers together.
  public var sync: SyncState
  /// The paired devices.
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
  /// What runs on the children's machines now; on a child, on this machine.
  public var running: [RunningNow]

  public init(
    deviceID: DeviceID, name: DeviceName, role: DeviceRole, version: String, processID: Int32, listening: [String],
    discovery: String, interfaces: [String]? = nil, sync: SyncState, peers: [PeerStatus], former: [FormerPeer] = [],
    messages: [ReceivedMessage],
    warnings: [String],
    residentBytes: Int64, disk: DiskStatus? = nil, running: [RunningNow] = []
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
    self.running = running
  }
}
