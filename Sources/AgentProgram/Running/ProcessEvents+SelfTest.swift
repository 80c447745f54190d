import Glibc
import LatchkeySystem

extension ProcessEvents {
  /// The time within which the event of the agent's own probe must come, in milliseconds.
  private static let probeMilliseconds: Int32 = 2_000

  /// Returns the kernel's events; `nil` if no event reports the start of a program that this
  /// function starts.
  ///
  /// Spec: Protocol/13-agent.md §10.
  static func tested() -> ProcessEvents? {
    guard let events = ProcessEvents(), events.deliver(probe, within: probeMilliseconds) else { return nil }
    return events
  }

  /// Starts a program that does nothing, and returns its number.
  private static func probe() -> Int32? {
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { for word in words { free(word) } }
    guard posix_spawn(&pid, "/bin/true", nil, nil, &words, nil) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return pid
  }
}
