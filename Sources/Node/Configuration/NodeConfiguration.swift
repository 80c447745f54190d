import LatchkeyModel
import LatchkeyTransport

/// The configuration of a node, from its command line.
public struct NodeConfiguration: Sendable {
  /// The path of the state folder.
  public var stateFolder: String
  /// The port; 0 for that of the last run, or any that is free.
  public var port: UInt16
  /// The names of the interfaces for mDNS and for listening; `nil` for all.
  public var interfaces: [String]?
  /// The `host:port` of other nodes that mDNS does not reach.
  public var peers: [String]
  /// A Boolean value that indicates whether to announce this node and look for others over mDNS.
  public var discovers: Bool
  /// The limits on items that wait for one peer in one class.
  public var caps: QueueCaps
  /// The path of the agent's program, which a child's node starts if the system has no agent; `nil` to enforce nothing.
  public var agentProgram: String?

  /// Creates a configuration.
  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    caps: QueueCaps = QueueCaps(), agentProgram: String? = nil
  ) {
    self.stateFolder = stateFolder
    self.port = port
    self.interfaces = interfaces
    self.peers = peers
    self.discovers = discovers
    self.caps = caps
    self.agentProgram = agentProgram
  }
}
