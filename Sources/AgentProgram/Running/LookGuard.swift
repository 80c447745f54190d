import Glibc
import LatchkeyModel
import LatchkeySystem
import Synchronization

/// A thread that restarts the agent's program when reading a process's files in /proc does not end.
///
/// The thread that reads waits in the kernel: it can be ended but not interrupted. The same process
/// therefore runs the program again, which learns from a variable which processes it must not read.
/// The orders are on disk, and are in force again immediately. Spec: Protocol/13-agent.md §10.
enum LookGuard {
  /// The variable with the numbers of the processes that are not read, separated by commas.
  static let variable = "LATCHKEY_UNREADABLE"
  /// The longest time of a single read in milliseconds; a longer one is noticed within twice that.
  private static let patienceMilliseconds: Int32 = 750
  private static let mostProcesses = 256
  /// The environment that the process was started with.
  private static let environment = Mutex<[String]>([])

  /// Begins to watch the calling thread, the process's first; returns the processes to leave out.
  static func begin() -> [Int32] {
    let left = (getenv(variable).map { String(cString: $0) } ?? "").split(separator: ",").compactMap { Int32($0) }
    unsetenv(variable)
    var found: [String] = []
    var entry = environ
    while let text = entry.pointee {
      found.append(String(cString: text))
      entry += 1
    }
    environment.withLock { $0 = found }
    ProcessReads.leaveOut(Set(left))
    guard ProcessReads.watch() else { return left }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        LookGuard.watch()
        return nil
      }, nil)
    return left
  }

  private static func watch() {
    while true {
      ProcessReads.awaitOne()
      var last = ProcessReads.current
      while true {
        poll(nil, 0, patienceMilliseconds)
        let now = ProcessReads.current
        if now == last, let process = now.process, isWaiting { startAnew(without: process) }
        if now.process == nil, now == last { break }
        last = now
      }
    }
  }

  /// A Boolean value that indicates whether the first thread waits.
  ///
  /// A thread that is slow, or lacks a processor, does not wait.
  private static var isWaiting: Bool {
    guard let line = ProcFile.line("/proc/self/task/\(getpid())/stat", most: 1_024), let end = line.lastIndex(of: 0x29),
      end + 2 < line.count
    else { return false }
    return line[end + 2] != UInt8(ascii: "R")
  }

  private static func startAnew(without process: Int32) {
    let left = ProcessReads.leftOutProcesses.suffix(mostProcesses - 1) + [process]
    AgentRunner.say(
      "Reading the files of process \(process) in /proc does not end: it is left out, and the agent starts anew.")
    let variables = environment.withLock { $0 } + ["\(variable)=" + left.map(String.init).joined(separator: ",")]
    let words: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    // Ends all other threads, also one that waits. The new program does not inherit the list.
    execve("/proc/self/exe", CommandLine.unsafeArgv, words)
    // Without the program, nothing enforces orders. The service manager starts a new process.
    kill(getpid(), SIGKILL)
  }
}

/// The processes whose files in /proc make readers wait, and what follows for their accounts.
///
/// Such a process could be anything, so it is killed. An account with several of them seems to
/// blind the agent on purpose. All of its processes are then killed until the unreadable ones have
/// ended. Only the owner of a process's folder decides, and an account's subordinate user IDs
/// belong to the account. Spec: Protocol/13-agent.md §10.
struct UnreadableProcesses {
  /// The number of such processes in one account from which all of its programs are killed.
  static let mostOfAccount = 4

  private var held: [(number: Int32, handle: ProcessHandle)]

  /// Opens the processes with these numbers, before a number can be reused.
  init(_ numbers: [Int32]) { held = numbers.compactMap { number in ProcessHandle(of: number).map { (number, $0) } } }

  var isEmpty: Bool { held.isEmpty }

  /// Kills the processes of the accounts, forgets those that have ended, and returns how many each
  /// account still has.
  mutating func kill(of accounts: Set<UInt32>, _ subordinates: SubordinateUsers) -> [UInt32: Int] {
    guard !held.isEmpty else { return [:] }
    held.removeAll { $0.handle.hasEnded }
    ProcessReads.leaveOut(Set(held.map(\.number)))
    var counts: [UInt32: Int] = [:]
    for process in held {
      guard let account = Self.account(of: process.number, subordinates), accounts.contains(account) else { continue }
      process.handle.send(signal: SIGKILL)
      counts[account, default: 0] += 1
    }
    return counts
  }

  static func killAll(of account: UInt32, _ subordinates: SubordinateUsers) {
    guard account != 0 else { return }
    for number in ProcFile.processes() where self.account(of: number, subordinates) == account {
      kill(number, of: account, subordinates)
    }
  }

  static func kill(_ number: Int32, of account: UInt32, _ subordinates: SubordinateUsers) {
    // The descriptor is opened first, so that everything read afterwards is about its process.
    guard let handle = ProcessHandle(of: number), self.account(of: number, subordinates) == account else { return }
    handle.send(signal: SIGKILL)
  }

  /// The account that owns a process's folder, which is the account of the process unless the
  /// process cannot be dumped.
  static func account(of number: Int32, _ subordinates: SubordinateUsers) -> UInt32? {
    ProcFile.status("/proc/\(number)").map { subordinates.account(of: $0.st_uid) ?? $0.st_uid }
  }
}
