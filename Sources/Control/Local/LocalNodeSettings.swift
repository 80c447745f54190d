import Logging

/// The settings of `latchkey run`.
public struct LocalNodeSettings: Sendable {
  /// The path of the state folder.
  public var stateFolder: String
  /// The TCP port to listen on; 0 for any.
  public var port: UInt16
  /// The interfaces to use; `nil` for all that are not virtual.
  public var interfaces: [String]?
  /// The `host:port` of machines to dial in addition to those that are found.
  public var peers: [String]
  /// A Boolean value that indicates whether to look for machines on the network.
  public var discovers: Bool
  /// The number of items that may wait for one machine in one class; `nil` for the default.
  public var queueItems: Int64?
  /// The bytes that may wait for one machine in one class; `nil` for the default.
  public var queueBytes: Int64?
  /// A Boolean value that indicates whether a child's node has an agent enforce rules.
  public var enforces: Bool
  var logLevel: Logger.Level
  var logFormat: LogFormat

  /// The words that `--log-level` accepts.
  public static let logLevels = Logger.Level.allCases.map(\.rawValue)

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - stateFolder: The path of the state folder.
  ///   - port: The TCP port to listen on; 0 for any.
  ///   - interfaces: The interfaces to use; `nil` for all that are not virtual.
  ///   - peers: The `host:port` of machines to dial in addition to those that are found.
  ///   - discovers: Whether to look for machines on the network.
  ///   - queueItems: The number of items that may wait for one machine in one class; `nil` for the default.
  ///   - queueBytes: The bytes that may wait for one machine in one class; `nil` for the default.
  ///   - logLevel: One of `logLevels`; any other text counts as `info`.
  ///   - logFormat: The form of log lines.
  ///   - enforces: Whether a child's node has an agent enforce rules.
  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    queueItems: Int64? = nil, queueBytes: Int64? = nil, logLevel: String = "info", logFormat: LogFormat = .text,
    enforces: Bool = false
  ) {
    self.stateFolder = stateFolder
    self.port = port
    self.interfaces = interfaces
    self.peers = peers
    self.discovers = discovers
    self.queueItems = queueItems
    self.queueBytes = queueBytes
    self.logLevel = Logger.Level(rawValue: logLevel) ?? .info
    self.logFormat = logFormat
    self.enforces = enforces
  }
}
