import Glibc
import LatchkeyModel
import LatchkeySystem

/// Closes the sessions of an account through logind, and then whatever is left of the account.
///
/// Spec: Protocol/13-agent.md §13.
struct SessionCloser {
  /// The most searches for processes that copied themselves before they were killed.
  private static let rounds = 8

  private let address: String?
  private var bus: LoginBus?
  private var subordinates: SubordinateUsers

  /// Creates a closer; `address` is that of a bus other than the system's.
  init(address: String? = nil, subordinateUsers: String = "/etc/subuid") {
    self.address = address
    subordinates = SubordinateUsers(path: subordinateUsers)
  }

  /// Asks the desktops of an account to lock.
  mutating func lock(_ account: UInt32) {
    guard let bus = connected() else { return }
    for session in bus.sessions() where session.user == account { _ = bus.lock(session.id) }
  }

  /// Ends an account's sessions, then the processes that logind left, such as those of cron or of a
  /// subordinate user ID.
  mutating func end(_ account: UInt32, sparing protected: Set<ProcessIdentity>) {
    guard account != 0 else { return }
    subordinates.load([account])
    guard !processes(of: account).isEmpty else { return }
    // Programs that logind ends may save their work. The next call, some seconds later, kills what
    // is left.
    if let bus = connected(), bus.sessions().contains(where: { $0.user == account && $0.state != "closing" }),
      bus.terminateUser(account)
    {
      return
    }
    var spared = protected
    for _ in 0..<Self.rounds {
      let left = processes(of: account).filter { spared.insert($0).inserted }
      guard !left.isEmpty else { return }
      for process in left {
        if let handle = ProcessHandle(process) { handle.send(signal: SIGKILL) }
      }
    }
  }

  private mutating func connected() -> LoginBus? {
    if bus?.isConnected != true { bus = LoginBus(address: address) }
    // Messages that have arrived meanwhile are not needed, and must not pile up.
    _ = bus?.process()
    return bus
  }

  /// Returns the processes of an account by their real user, which may be a subordinate one.
  private func processes(of account: UInt32) -> [ProcessIdentity] {
    ProcFile.processes().compactMap { pid in
      guard let bytes = ProcFile.read("/proc/\(pid)/status", most: 4_096),
        let line = bytes.split(separator: 0x0A).first(where: { $0.starts(with: Array("Uid:".utf8)) }),
        let word = String(decoding: line.dropFirst(4), as: UTF8.self).split(whereSeparator: \.isWhitespace).first,
        let user = UInt32(word), user == account || user != 0 && subordinates.account(of: user) == account,
        let stat = ProcessStatLine(pid: pid), !stat.hasEnded, !stat.isKernel
      else { return nil }
      return ProcessIdentity(processID: pid, startTime: stat.startTime)
    }
  }
}
