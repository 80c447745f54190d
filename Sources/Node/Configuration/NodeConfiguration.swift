import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// The configuration of a node, from its command line.
public struct NodeConfiguration: Sendable {
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
  /// The agent that carries out the rules on a child's machine.
  public var agent: AgentChoice
  /// The level from which on the node logs: one of `logLevels`; any other text counts as `info`.
  public var logLevel: String
  /// The form of log lines.
  public var logFormat: LogFormat

  public static let logLevels = Logger.Level.allCases.map(\.rawValue)

  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    caps: QueueCaps = QueueCaps(), agent: AgentChoice = .none, logLevel: String = "info", logFormat: LogFormat = .text
  ) {
    self.stateFolder = stateFolder
    self.port = port
    self.interfaces = interfaces
    self.peers = peers
    self.discovers = discovers
    self.caps = caps
    self.agent = agent
    self.logLevel = logLevel
    self.logFormat = logFormat
  }

  /// The logger of a program of its own, a node's or a bridge's.
  package var logger: Logger {
    var logger = Logger(label: "latchkey") { [logFormat] _ in StandardErrorLogHandler(format: logFormat) }
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
    return logger
  }
}

/// The agent of a child's node.
public enum AgentChoice: Hashable, Sendable {
  /// None: nothing is enforced.
  case none
  /// The system's, which a service of its own runs.
  case system
  /// The system's or, if there is none, one that the node starts for the programs of its own user.
  case own(program: String)
}

/// The reason why a node cannot be created or started.
public struct NodeStartupError: Error, Sendable, CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var message: String
  /// The exit status according to sysexits(3).
  public var exitStatus: Int32

  /// Creates an error with a sentence for people and an exit status.
  public init(_ message: String, exitStatus: Int32) {
    self.message = message
    self.exitStatus = exitStatus
  }

  public var description: String { message }

  init(_ error: StoreError) {
    let status: Int32
    switch error {
    case .newerVersion: status = 78
    case .corrupt: status = 65
    case .cannotOpen, .readOnly: status = 77
    case .diskFull, .inputOutput: status = 74
    case .queueFull, .tooManyPeers, .noSuchPeer, .refused, .unexpected: status = 70
    }
    self.init(error.description, exitStatus: status)
  }

  init(_ error: KeyFileError) {
    let status: Int32
    switch error {
    case .missing: status = 66
    case .newerVersion: status = 78
    case .corrupt: status = 65
    case .alreadyExists, .unwritable: status = 73
    default: status = 77
    }
    self.init(error.description, exitStatus: status)
  }

  init(_ error: TransportError) {
    self.init(error.description, exitStatus: 69)
  }
}
