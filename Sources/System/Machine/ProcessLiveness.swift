/// A check whether a process is still running, as opposed to a later process with the same number.
public enum ProcessLiveness {
  /// Returns whether the process with this number and start time is still running.
  ///
  /// A zombie, which has ended and was not reaped, is not running.
  ///
  /// - Parameters:
  ///   - pid: The process number.
  ///   - startTime: Field 22 of its /proc/PID/stat, in clock ticks since boot. It is valid within
  ///     one boot, so compare `BootID.current()` first.
  /// - Returns: `true` if the process is running.
  public static func isAlive(pid: Int32, startTime: UInt64) -> Bool {
    guard let stat = ProcessStatLine(pid: pid) else { return false }
    return stat.startTime == startTime && !stat.hasEnded
  }

  /// Returns the start time of a process in clock ticks since boot; `nil` if no process has that
  /// number.
  public static func startTime(pid: Int32) -> UInt64? {
    ProcessStatLine(pid: pid)?.startTime
  }
}
