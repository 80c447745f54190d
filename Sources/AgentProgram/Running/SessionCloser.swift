import Glibc
import LatchkeyAgent
import LatchkeyModel

/// The end of the sessions of an account, by logind, and of what is left of the account afterwards.
///
/// Spec: Protocol/13-agent.md §13.
struct SessionCloser {
  private var bus: LoginBus?

  /// Asks the desktops of an account to lock.
  mutating func lock(_ account: UInt32) {
    guard let bus = connected() else { return }
    for session in bus.sessions() where session.user == account { _ = bus.lock(session.id) }
  }

  /// Ends an account's sessions, then what logind left alone, such as what cron started.
  mutating func end(_ account: UInt32, sparing protected: Set<ProcessIdentity>) {
    guard account != 0 else { return }
    let left = Self.processes(of: account)
    guard !left.isEmpty else { return }
    // What logind ends may save its work; the next call, after some seconds, kills what is left.
    if let bus = connected(), bus.sessions().contains(where: { $0.user == account && $0.state != "closing" }),
      bus.terminateUser(account)
    {
      return
    }
    for process in left where !protected.contains(process) {
      if let handle = ProcessHandle(process) { handle.send(signal: SIGKILL) }
    }
  }

  private mutating func connected() -> LoginBus? {
    if bus?.isConnected != true { bus = LoginBus() }
    // What has arrived meanwhile is of no interest here, and must not pile up.
    _ = bus?.process()
    return bus
  }

  /// Returns the processes that run as an account, by their real user.
  private static func processes(of account: UInt32) -> [ProcessIdentity] {
    ProcFile.processes().compactMap { pid in
      guard let bytes = ProcFile.read("/proc/\(pid)/status", most: 4_096),
        let line = bytes.split(separator: 0x0A).first(where: { $0.starts(with: Array("Uid:".utf8)) }),
        let user = String(decoding: line.dropFirst(4), as: UTF8.self).split(whereSeparator: \.isWhitespace).first,
        UInt32(user) == account, let stat = ProcessStatLine(pid: pid), !stat.hasEnded, !stat.isKernel
      else { return nil }
      return ProcessIdentity(processID: pid, startTime: stat.startTime)
    }
  }
}
