import Glibc
import LatchkeyAgent
import LatchkeyModel
import LatchkeyStore

/// A service that has the parents of a child's machine know its accounts.
///
/// Spec: Protocol/10-household.md §3.
struct AccountService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds between two looks at the machine's file of accounts.
  private static let pause: Int64 = 60_000

  func run() async {
    var seen: Int64?
    while !Task.isCancelled {
      let mark = SystemAccounts.mark()
      if context.profile.role == .child, mark != seen, await look() { seen = mark }
      do { try await Task.sleep(for: .milliseconds(Self.pause)) } catch { return }
    }
  }

  /// Reads the accounts; returns whether they are durable.
  private func look() async -> Bool {
    let people = SystemAccounts.people(among: SystemAccounts.entries(), ownUser: geteuid())
    let accounts = context.profile.accounts?.stated(in: people) ?? people
    do {
      let changes = try await context.store.setAccounts(accounts, at: context.wall())
      await directory.committed(changes)
      context.changes.notify()
      return true
    } catch {
      context.logger.error("accounts could not be kept", metadata: ["reason": "\(error)"])
      return false
    }
  }
}
