import Glibc
import LatchkeyModel
import LatchkeySystem

/// The processes whose files in /proc make every reader wait, and the consequences for their
/// accounts.
///
/// Such a process could be anything, so it is killed. An account with several of them seems to
/// blind the agent on purpose. All of its processes are then killed until the unreadable ones have
/// ended. Only the owner of a process's folder decides, and an account's subordinate user IDs
/// belong to the account.
///
/// Spec: Protocol/13-agent.md §10.
struct UnreadableProcesses {
  /// The number of such processes in one account from which all of its programs are killed.
  static let mostOfAccount = 4

  private final class Held {
    let number: Int32
    let handle: ProcessHandle
    init?(_ number: Int32) {
      guard let handle = ProcessHandle(of: number) else { return nil }
      self.number = number
      self.handle = handle
    }
  }

  private var held: [Held]

  /// Opens the processes with these numbers, before a number can be reused.
  init(_ numbers: [Int32]) { held = numbers.compactMap { Held($0) } }

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
