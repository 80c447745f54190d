import CProcess
import Glibc

/// A program's wait until its parent waits for its end.
///
/// PAM learns that a log-in is refused from the exit status of the gate. A program that collects
/// its ended children immediately, as atd does, takes this status away from PAM unless PAM is
/// already waiting for it. In that case, no log-in would be refused.
public enum ParentWait {
  /// The longest time by which a refusal is delayed, in milliseconds.
  private static let patience: Int64 = 1_000
  /// The same, if the kernel does not show what a process waits for.
  private static let blindPatience: Int64 = 100

  /// Returns once the parent waits for the end of this program, or after a second.
  public static func begin() {
    let parent = getppid()
    let start = SystemClock.boot.milliseconds
    while true {
      let isWaiting = isWaiting(parent)
      let passed = SystemClock.boot.milliseconds - start
      if isWaiting == true || passed >= (isWaiting == nil ? blindPatience : patience) { return }
      usleep(1_000)
    }
  }

  /// Returns whether a process waits for the end of a child; `nil` if the kernel does not show it.
  private static func isWaiting(_ process: pid_t) -> Bool? {
    // The first word is the number of the system call, or `running`.
    guard let line = ProcFile.line("/proc/\(process)/syscall"), !line.isEmpty else { return nil }
    let call = Int(String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    return call.map(latchkey_waits_for_child) == 1
  }
}
