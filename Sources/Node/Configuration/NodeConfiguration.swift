import LatchkeyModel
import LatchkeyTransport

/// How a node is to run, as its command line said.
public struct NodeConfiguration: Sendable {
  /// The state folder's path.
  public var stateFolder: String
  /// 0 for the port of the last run, or any that is free.
  public var port: UInt16
  /// Names of the interfaces to use, for mDNS and for listening; nil for all.
  public var interfaces: [String]?
  /// `host:port` of other nodes, for where mDNS does not reach.
  public var peers: [String]
  /// Whether to announce and look for nodes over mDNS.
  public var discovers: Bool
  /// What may wait for one peer in one class.
  public var caps: QueueCaps

  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    caps: QueueCaps = QueueCaps()
  ) {
    self.stateFolder = stateFolder
    self.port = port
    self.interfaces = interfaces
    self.peers = peers
    self.discovers = discovers
    self.caps = caps
  }
}
