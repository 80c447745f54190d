import CProcess
import Glibc
import LatchkeyModel

/// A process as the kernel shows it at one moment.
public struct RunningProcess: Hashable, Sendable {
  public let identity: ProcessIdentity
  /// The real user ID: of a set-user-ID program, that of the user who started it.
  public let userID: UInt32
  /// The start time, rounded down to the kernel's ticks of 10 ms.
  public let startedAt: BootInstant
  /// A Boolean value that indicates whether the process has ended and waits to be reaped.
  public let hasEnded: Bool

  public init(identity: ProcessIdentity, userID: UInt32, startedAt: BootInstant, hasEnded: Bool) {
    (self.identity, self.userID, self.startedAt, self.hasEnded) = (identity, userID, startedAt, hasEnded)
  }

  /// Reads the process with a number; `nil` if there is none, or /proc hides it.
  ///
  /// The number of a thread is not the number of a process, although /proc has a folder for it.
  public init?(pid: Int32) {
    // The two files belong to one process if the start time is the same before and after.
    guard pid > 0, let stat = ProcessStatLine(pid: pid), let status = Self.status(pid),
      Self.number("Tgid:", in: status) == UInt32(pid), let user = Self.number("Uid:", in: status),
      ProcessStatLine(pid: pid)?.startTime == stat.startTime
    else { return nil }
    let ticks = UInt64(clamping: max(1, sysconf(Int32(_SC_CLK_TCK))))
    let (seconds, rest) = stat.startTime.quotientAndRemainder(dividingBy: ticks)
    let milliseconds = Int64(clamping: min(seconds, 1 << 40)) * 1_000 + Int64(clamping: rest * 1_000 / ticks)
    self.init(
      identity: ProcessIdentity(processID: pid, startTime: stat.startTime), userID: user,
      startedAt: BootInstant(milliseconds: milliseconds), hasEnded: stat.hasEnded)
  }

  /// Returns the real user of a process; `nil` if /proc does not show it.
  public static func realUser(of pid: Int32) -> UInt32? { status(pid).flatMap { number("Uid:", in: $0) } }
  private static func status(_ pid: Int32) -> [UInt8]? { ProcFile.read("/proc/\(pid)/status", most: 16_384) }

  private static func number(_ name: String, in status: [UInt8]) -> UInt32? {
    // The kernel escapes line ends in the name, so that a name cannot imitate one of these lines.
    status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name.utf8) }.flatMap { line in
      String(decoding: line.dropFirst(name.utf8.count), as: UTF8.self).split(whereSeparator: \.isWhitespace).first
        .flatMap { UInt32($0) }
    }
  }
}

/// The fields of /proc/PID/stat that identify a process and show whether it lives.
public struct ProcessStatLine: Hashable, Sendable {
  /// Field 2: the name that the process gave itself.
  public let name: String
  /// Field 3 is `Z` or `X`, and no other thread of the process lives.
  public let hasEnded: Bool
  /// The first thread has ended and another lives: only the threads' folders show its program.
  public let livesInThreads: Bool
  /// Field 4: the parent's number.
  public let parent: Int32
  /// Field 7: the number of the controlling terminal; 0 for none.
  public let terminal: Int32
  /// Field 9, bit 21: it is a kernel thread.
  public let isKernel: Bool
  /// Field 22: the start in clock ticks since boot.
  public let startTime: UInt64
  /// Fields 26 and 28: the addresses of its program's code and stack, which differ for each start
  /// of a program; `nil` if the kernel hides them.
  public let programPlace: [UInt64]?
  /// A Boolean value that indicates whether the terminal is that of a window or of a connection
  /// (`/dev/pts`, majors 136 to 143).
  public var isInTerminalWindow: Bool { (136...143).contains((terminal >> 8) & 0xFFF) }

  /// A Boolean value that indicates whether it has no program: field 26 is 0, and 3 is not `S`.
  ///
  /// This is so in the middle of an exec, during which a process never sleeps, and when a process
  /// ends. A program can also be built so that the kernel always reports this.
  public let isBetweenPrograms: Bool

  /// Reads the line of a process; `nil` if there is no such process.
  public init?(pid: Int32) {
    guard let bytes = ProcFile.line("/proc/\(pid)/stat", most: 1_024) else { return nil }
    self.init(bytes)
  }

  /// Reads a line; `nil` if the bytes are not such a line.
  public init?(_ bytes: [UInt8]) {
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    guard let begin = bytes.firstIndex(of: 0x28), let end = bytes.lastIndex(of: 0x29), begin < end else { return nil }
    // Without an array of all fields: a full scan reads the line of every process.
    var (state, parent, flags, threads, start): (UInt8?, UInt64?, UInt64?, UInt64?, UInt64?)
    var (code, stack, terminal): (UInt64?, UInt64?, UInt64?)
    var (field, first) = (2, end + 1)
    for place in (end + 1)..<bytes.count where bytes[place] == 0x20 || bytes[place] == 0x0A {
      let text = bytes[first..<place]
      switch field {
      case 3: state = text.first
      case 4: parent = Self.number(text)
      case 7: terminal = Self.number(text)
      case 9: flags = Self.number(text)
      case 20: threads = Self.number(text)
      case 22: start = Self.number(text)
      case 26: code = Self.number(text)
      case 28: stack = Self.number(text)
      default: break
      }
      if field == 28 { break }
      (field, first) = (field + 1, place + 1)
    }
    guard let state, let parent, let flags, let threads, let start else { return nil }
    name = String(decoding: bytes[(begin + 1)..<end], as: UTF8.self)
    let isOver = state == 0x5A || state == 0x58 || state == 0x78
    livesInThreads = isOver && threads > 1
    hasEnded = isOver && threads <= 1
    self.parent = Int32(truncatingIfNeeded: parent)
    self.terminal = Int32(truncatingIfNeeded: terminal ?? 0)
    isKernel = flags & 0x20_0000 != 0
    startTime = start
    isBetweenPrograms = code == 0 && state != 0x53
    // The kernel reports 0 or 1 to processes without the right to know.
    programPlace = code.flatMap { code in stack.flatMap { code > 1 && $0 > 1 ? [code, $0] : nil } }
  }

  private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for byte in text {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(byte - 0x30))
      guard !isTooLarge, !isLarger else { return nil }
      value = sum
    }
    return text.isEmpty ? nil : value
  }
}

/// A check whether a process is still running, as opposed to a later process with the same number.
public enum ProcessLiveness {
  /// Returns whether the process with this number and start time is still running.
  ///
  /// A zombie, which has ended and was not reaped, is not running. `startTime` is field 22 of its
  /// /proc/PID/stat, in clock ticks since boot. It is valid within one boot, so compare
  /// `BootID.current()` first.
  public static func isAlive(pid: Int32, startTime: UInt64) -> Bool {
    guard let stat = ProcessStatLine(pid: pid) else { return false }
    return stat.startTime == startTime && !stat.hasEnded
  }

  /// Returns the start time of a process in clock ticks since boot; `nil` if there is none.
  public static func startTime(pid: Int32) -> UInt64? { ProcessStatLine(pid: pid)?.startTime }
}

/// A descriptor of a process, which stays valid for that process when its number is reused.
public final class ProcessHandle: Sendable {
  /// The descriptor, which can be polled for the end of the process.
  public let descriptor: Int32

  /// The time within which no number is reused for another process, in milliseconds.
  ///
  /// The kernel assigns at least 32,768 numbers in a cycle, unless root has shortened it.
  private static let cycleMilliseconds: Int64 = 10

  /// Opens a process; `nil` if it has ended, or if its number now belongs to a later one.
  ///
  /// `seenAt` is a reading of the clock from before the process was seen with its start time.
  public init?(_ process: ProcessIdentity, seenAt: BootInstant? = nil) {
    let descriptor = latchkey_pidfd_open(process.processID)
    guard descriptor >= 0 else { return nil }
    if let seenAt, BootClock.now() - seenAt < Self.cycleMilliseconds {
      self.descriptor = descriptor
      return
    }
    // The number belonged to that process before the descriptor was opened, and still does. The
    // descriptor therefore belongs to it.
    guard ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  /// Opens the process that has a number now, without reading its files; `nil` if there is none.
  public init?(of number: Int32) {
    let descriptor = latchkey_pidfd_open(number)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a signal to the process; returns `false` if it has ended, or belongs to a user over whom
  /// this process has no rights.
  @discardableResult
  public func send(signal number: Int32) -> Bool { latchkey_pidfd_signal(descriptor, number) == 0 }

  public var hasEnded: Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) > 0
  }
}
