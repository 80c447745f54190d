import Foundation
import Glibc

/// The kernel's counts of a process.
struct ProcessCost {
  /// The processor time of all its threads, in seconds.
  var seconds: Double
  /// The number of times that each of its present threads was woken.
  private var wakeups: [String: Int]
  /// The bytes of its own and of shared memory.
  var residentBytes: Int64

  /// Reads the present counts.
  static func of(_ process: Int32) throws -> ProcessCost {
    var wakeups: [String: Int] = [:]
    let tasks = "/proc/\(process)/task"
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      // A thread may end while this is read.
      guard let status = try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8) else { continue }
      wakeups[task] = Int(number("voluntary_ctxt_switches", status))
    }
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw BenchFault("Process \(process) has ended.")
    }
    return ProcessCost(
      seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, wakeups: wakeups,
      residentBytes: number("VmRSS", status) * 1_024)
  }

  /// Returns how often threads were woken since earlier counts, without threads that have ended
  /// since.
  func wakeups(since earlier: ProcessCost) -> Int {
    wakeups.reduce(0) { $0 + $1.value - (earlier.wakeups[$1.key] ?? 0) }
  }

  /// Returns the seconds of processor time that work takes in this process.
  static func ofThisProcess(_ work: () -> Void) throws -> Double {
    let before = try of(getpid()).seconds
    work()
    return try of(getpid()).seconds - before
  }

  private static func number(_ name: String, _ status: String) -> Int64 {
    status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(whereSeparator: { " \t:".contains($0) })
      .dropFirst().first.flatMap { Int64($0) } ?? 0
  }
}
