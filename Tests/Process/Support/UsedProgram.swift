import Glibc
import LatchkeyModel

/// A program whose use a test has recorded.
///
/// It runs until it is ended or this value is gone.
final class UsedProgram: Sendable {
  private let process: SpawnedProcess
  /// Field 22 of its `stat`.
  let startTime: UInt64

  var pid: pid_t { process.pid }

  init() throws {
    process = try SpawnedProcess(
      "/bin/sleep", ["600"], environment: [:], input: "/dev/null", output: "/dev/null", talk: "/dev/null")
    startTime = try Self.startTime(of: process.pid)
  }

  deinit { process.signal(SIGKILL) }

  /// A request to record it that any node takes.
  func request(_ app: String) -> UsageStartRequest {
    UsageStartRequest(
      appID: app, processID: pid, processStartTime: startTime,
      startedAt: BootInstant(milliseconds: Self.milliseconds(CLOCK_BOOTTIME)),
      startedAtWall: Self.milliseconds(CLOCK_REALTIME), zone: "Europe/Berlin")
  }

  /// Ends it, and returns once it is reaped.
  func end() async {
    process.signal(SIGKILL)
    _ = await process.wait()
  }

  /// Field 22 of a process's `stat`.
  static func startTime(of pid: pid_t) throws -> UInt64 {
    let text = ProcessLab.read("/proc/\(pid)/stat")
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 20, let start = UInt64(fields[20]) else {
      throw LabFault("The process \(pid) is not there.")
    }
    return start
  }

  /// One of the kernel's clocks, in milliseconds.
  static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
