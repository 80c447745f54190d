import LatchkeyModel
import LatchkeyStore
import LatchkeyTransport
import Logging

public struct NodeConfiguration: Sendable {
  public var stateFolder: String
  /// The port; 0 for the port of the last run, or any that is free.
  public var port: UInt16
  /// The names of the interfaces for mDNS and for listening; `nil` for all.
  public var interfaces: [String]?
  /// The `host:port` of other nodes that mDNS does not reach.
  public var peers: [String]
  /// A Boolean value that indicates whether to announce this node and look for others over mDNS.
  public var discovers: Bool
  /// The limits on items that wait for one peer in one class.
  public var caps: QueueCaps
  public var agent: AgentChoice
  /// The lowest level that the node logs: one of `logLevels`; any other text counts as `info`.
  public var logLevel: String
  public var logFormat: LogFormat

  public static let logLevels = Logger.Level.allCases.map(\.rawValue)

  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    caps: QueueCaps = QueueCaps(), agent: AgentChoice = .none, logLevel: String = "info", logFormat: LogFormat = .text
  ) {
    (self.stateFolder, self.port, self.interfaces, self.peers) = (stateFolder, port, interfaces, peers)
    (self.discovers, self.caps, self.agent, self.logLevel) = (discovers, caps, agent, logLevel)
    self.logFormat = logFormat
  }

  /// The logger of a program that is a node, a bridge or the pages.
  package var logger: Logger {
    var logger = Logger(label: "latchkey") { [logFormat] _ in StandardErrorLogHandler(format: logFormat) }
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .info
    return logger
  }
}

public enum AgentChoice: Hashable, Sendable {
  /// None: nothing is enforced.
  case none
  /// The system's, which a service of its own runs.
  case system
  /// The system's; without one, an agent that the node starts for the programs of its own user.
  case own(program: String)
}

public struct NodeStartupError: Error, Sendable, CustomStringConvertible {
  public var message: String
  /// The exit status according to sysexits(3).
  public var exitStatus: Int32

  public init(_ message: String, exitStatus: Int32) { (self.message, self.exitStatus) = (message, exitStatus) }

  public var description: String { message }

  init(_ error: StoreError) {
    message = error.description
    switch error {
    case .newerVersion: exitStatus = 78
    case .corrupt: exitStatus = 65
    case .cannotOpen, .readOnly: exitStatus = 77
    case .diskFull, .inputOutput: exitStatus = 74
    case .queueFull, .tooManyPeers, .noSuchPeer, .refused, .unexpected: exitStatus = 70
    }
  }

  init(_ error: KeyFileError) {
    message = error.description
    switch error {
    case .missing: exitStatus = 66
    case .newerVersion: exitStatus = 78
    case .corrupt: exitStatus = 65
    case .alreadyExists, .unwritable: exitStatus = 73
    default: exitStatus = 77
    }
  }

  init(_ error: TransportError) { self.init(error.description, exitStatus: 69) }
}
