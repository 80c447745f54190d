import Glibc
import LatchkeyModel

/// A process as the kernel shows it at one moment.
public struct RunningProcess: Hashable, Sendable {
  public let identity: ProcessIdentity
  /// The real user ID.
  ///
  /// For a set-user-ID program, it is that of the user who started it.
  public let userID: UInt32
  /// The start time, rounded down to the kernel's ticks of 10 ms.
  public let startedAt: BootInstant
  /// A Boolean value that indicates whether the process has ended and waits to be reaped.
  public let hasEnded: Bool

  public init(identity: ProcessIdentity, userID: UInt32, startedAt: BootInstant, hasEnded: Bool) {
    self.identity = identity
    self.userID = userID
    self.startedAt = startedAt
    self.hasEnded = hasEnded
  }

  /// Reads the process with a number from /proc; `nil` if there is none, or /proc hides it from
  /// this user.
  ///
  /// The number of a thread is not the number of a process, although /proc has a folder for it.
  public init?(pid: Int32) {
    // The two files belong to one process if the start time is the same before and after.
    guard pid > 0, let stat = ProcessStatLine(pid: pid), let user = Self.realUser(pid),
      ProcessStatLine(pid: pid)?.startTime == stat.startTime
    else { return nil }
    let ticks = UInt64(clamping: max(1, sysconf(Int32(_SC_CLK_TCK))))
    let (seconds, rest) = stat.startTime.quotientAndRemainder(dividingBy: ticks)
    let milliseconds = Int64(clamping: min(seconds, 1 << 40)) * 1_000 + Int64(clamping: rest * 1_000 / ticks)
    self.init(
      identity: ProcessIdentity(processID: pid, startTime: stat.startTime), userID: user,
      startedAt: BootInstant(milliseconds: milliseconds), hasEnded: stat.hasEnded)
  }

  private static func realUser(_ pid: Int32) -> UInt32? {
    guard let data = ProcFile.read("/proc/\(pid)/status", most: 16_384) else { return nil }
    // The kernel escapes line ends in the name, so that a name cannot imitate one of these lines.
    let lines = data.split(separator: UInt8(ascii: "\n"))
    func number(_ name: String) -> UInt32? {
      lines.first { $0.starts(with: name.utf8) }.flatMap { line in
        String(decoding: line.dropFirst(name.utf8.count), as: UTF8.self).split(whereSeparator: \.isWhitespace).first
          .flatMap { UInt32($0) }
      }
    }
    guard number("Tgid:") == UInt32(pid) else { return nil }
    return number("Uid:")
  }
}
