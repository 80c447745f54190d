import Foundation

/// The check whether a process is still running, as opposed to a later one with the same number.
public enum ProcessLiveness {
  /// Returns whether the process with this number and start time is still running.
  ///
  /// A process that waits to be reaped is not.
  ///
  /// - Parameters:
  ///   - pid: The process number.
  ///   - startTime: Field 22 of its /proc/PID/stat, in clock ticks since boot. It is valid within one boot, so compare
  ///     `BootID.current()` first.
  /// - Returns: `true` if the process is running.
  public static func isAlive(pid: Int32, startTime: UInt64) -> Bool {
    guard let stat = ProcessStat(pid: pid) else { return false }
    return stat.startTime == startTime && !stat.hasEnded
  }

  /// Returns the start time of a process in clock ticks since boot; `nil` if no process has that number.
  public static func startTime(pid: Int32) -> UInt64? {
    ProcessStat(pid: pid)?.startTime
  }
}

/// The two fields of /proc/PID/stat that identify a process.
struct ProcessStat: Equatable {
  /// Field 22: the start time in clock ticks since boot.
  let startTime: UInt64
  /// A Boolean value that indicates whether the process has ended and waits to be reaped: field 3 is `Z` or `X`, and no other
  /// thread of it lives (field 20), as after the end of its first thread alone.
  let hasEnded: Bool

  init?(pid: Int32) {
    // Not decoded as UTF-8, since a process may have any bytes in its name.
    guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
    self.init(line: data)
  }

  /// Creates a value from the line of a stat file.
  init?(line: some BidirectionalCollection<UInt8>) {
    // Field 2, the name, may itself contain spaces and parentheses. The last parenthesis ends it.
    guard let close = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[line.index(after: close)...].split(separator: UInt8(ascii: " "))
    guard fields.count >= 20, let state = fields[0].first,
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.startTime = startTime
    let threads = UInt64(String(decoding: fields[17], as: UTF8.self)) ?? 1
    hasEnded = threads <= 1 && [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(state)
  }
}
