import Logging

/// How `latchkey run` was told to run.
public struct LocalNodeSettings: Sendable {
  public var stateFolder: String
  /// TCP; 0 for any.
  public var port: UInt16
  /// The interfaces to use; nil for all real ones.
  public var interfaces: [String]?
  /// `host:port` of machines to try besides those that are found.
  public var peers: [String]
  /// Whether to look for machines on the network.
  public var discovers: Bool
  /// Items and bytes that may wait for one machine in one class; nil for the usual.
  public var queueItems: Int64?
  public var queueBytes: Int64?
  var logLevel: Logger.Level
  var logFormat: LogFormat

  /// The words that --log-level takes.
  public static let logLevels = Logger.Level.allCases.map(\.rawValue)

  /// Gather the settings.
  ///
  /// - Parameter logLevel: one of `logLevels`; anything else counts as `info`.
  public init(
    stateFolder: String, port: UInt16 = 0, interfaces: [String]? = nil, peers: [String] = [], discovers: Bool = true,
    queueItems: Int64? = nil, queueBytes: Int64? = nil, logLevel: String = "info", logFormat: LogFormat = .text
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
  }
}
