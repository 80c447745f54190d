import Foundation

/// Whether a process still runs, told from a later one that was given the same number.
public enum ProcessLiveness {
  /// Tell whether the process that had this number and start time still runs; one that only waits to be reaped does not.
  ///
  /// - Parameters:
  ///   - pid: The process number.
  ///   - startTime: Field 22 of its /proc/PID/stat, in clock ticks since boot. It holds within one boot: compare
  ///     `BootID.current()` first.
  public static func isAlive(pid: Int32, startTime: UInt64) -> Bool {
    guard let stat = ProcessStat(pid: pid) else { return false }
    return stat.startTime == startTime && !stat.hasEnded
  }

  /// Read the start time of a process, in clock ticks since boot; nil when there is none with that number.
  public static func startTime(pid: Int32) -> UInt64? {
    ProcessStat(pid: pid)?.startTime
  }
}
