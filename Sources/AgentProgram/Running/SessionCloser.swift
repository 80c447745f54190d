import Glibc
import LatchkeyModel
import LatchkeySystem

/// Closes the sessions of an account through logind, and then whatever is left of the account
/// (Protocol/13-agent.md §13).
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
    // Programs that logind ends may save their work. The next call kills what is left.
    if let bus = connected(), bus.sessions().contains(where: { $0.user == account && $0.state != "closing" }),
      bus.terminateUser(account)
    {
      return
    }
    var spared = protected
    for _ in 0..<Self.rounds {
      let left = processes(of: account).filter { spared.insert($0).inserted }
      guard !left.isEmpty else { return }
      for process in left { ProcessHandle(process)?.send(signal: SIGKILL) }
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
      guard let user = RunningProcess.realUser(of: pid),
        user == account || user != 0 && subordinates.account(of: user) == account,
        let stat = ProcessStatLine(pid: pid), !stat.hasEnded, !stat.isKernel
      else { return nil }
      return ProcessIdentity(processID: pid, startTime: stat.startTime)
    }
  }
}

/// The user IDs that accounts may use in user namespaces: those of /etc/subuid.
///
/// A program that a child starts under such an ID belongs to the child. Spec: Protocol/13-agent.md
/// §9.
struct SubordinateUsers {
  private static let largestFile = 1 << 20
  private static let mostRanges = 4_096

  private let path: String
  private var mark: FileMark?
  private var accounts: Set<UInt32> = []
  private var ranges: [(ids: ClosedRange<UInt32>, account: UInt32)] = []

  init(path: String = "/etc/subuid") { self.path = path }

  /// Reads the ranges of these accounts if the accounts or the file have changed.
  mutating func load(_ wanted: Set<UInt32>) {
    let present = ProcFile.status(path).map(FileMark.init)
    guard present != mark || wanted != accounts else { return }
    (mark, accounts, ranges) = (present, wanted, [])
    guard present != nil, !wanted.isEmpty, let bytes = ProcFile.read(path, most: Self.largestFile) else { return }
    var owners: [String: UInt32] = [:]
    for account in wanted {
      owners[String(account)] = account
      if let name = getpwuid(account)?.pointee.pw_name { owners[String(cString: name)] = account }
    }
    for line in bytes.split(separator: 0x0A) where ranges.count < Self.mostRanges {
      // NAME:FIRST:COUNT
      let fields = line.split(separator: 0x3A).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count == 3, let account = owners[fields[0]], let first = UInt32(fields[1]),
        let count = UInt32(fields[2]), first > 0, count > 0, count - 1 <= .max - first
      else { continue }
      ranges.append((first...(first + (count - 1)), account))
    }
  }

  /// Returns the account that a user ID is subordinate to; `nil` if it is in none of the ranges.
  func account(of user: UInt32) -> UInt32? { ranges.first { $0.ids.contains(user) }?.account }
}
