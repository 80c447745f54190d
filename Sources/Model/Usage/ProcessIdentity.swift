/// A process of one boot: its number, and its start time, which no later process with the same number shares.
public struct ProcessIdentity: Hashable, Sendable, Codable {
  /// The process number.
  public var processID: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot.
  public var startTime: UInt64

  /// Creates an identity of a process.
  public init(processID: Int32, startTime: UInt64) {
    self.processID = processID
    self.startTime = startTime
  }
}
