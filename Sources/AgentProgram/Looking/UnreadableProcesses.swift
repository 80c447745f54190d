import Glibc
import LatchkeyAgent
import LatchkeyModel

/// The processes that make whoever reads their files in /proc wait, and what follows for the accounts that run them.
///
/// Such a process could be anything, so that it is killed. An account with several of them seems to blind the agent on purpose:
/// everything that it runs is killed until they have ended, by the owner of each process's folder alone. What runs under an account's
/// subordinate user IDs is the account's.
///
/// Spec: Protocol/13-agent.md §10.
struct UnreadableProcesses {
  /// The number of such processes of one account from which on all of its programs are killed.
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

  /// Takes the processes with these numbers, before any of the numbers can be another's.
  init(_ numbers: [Int32]) { held = numbers.compactMap { Held($0) } }

  var isEmpty: Bool { held.isEmpty }

  /// Kills those that belong to the accounts, and returns for each account how many are left; those that have ended are forgotten.
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
    // The descriptor first: what is read then is true of its process.
    guard let handle = ProcessHandle(of: number), self.account(of: number, subordinates) == account else { return }
    handle.send(signal: SIGKILL)
  }

  /// The account to which a process's folder belongs: that of the process, unless it cannot be dumped.
  static func account(of number: Int32, _ subordinates: SubordinateUsers) -> UInt32? {
    ProcFile.status("/proc/\(number)").map { subordinates.account(of: $0.st_uid) ?? $0.st_uid }
  }
}
