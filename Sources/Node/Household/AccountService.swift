import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeySystem

/// A service that has the parents of a child's machine know its accounts.
///
/// Spec: Protocol/10-household.md §3.
struct AccountService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds between two looks at whether the accounts have changed.
  private static let pause: Int64 = 20_000
  /// Milliseconds after which a directory's accounts are read again, which change unmarked.
  private static let longest: Int64 = 60_000

  /// What changes when an account is added, changed, or used.
  private struct Mark: Equatable {
    var file: Int64
    var inSession: Set<UInt32>
    /// The log-in names of accounts that a parent has decided about by name.
    var named: [String]
  }

  func run() async {
    var seen: (mark: Mark, at: BootInstant, news: UInt64)?
    await ChangeSignal().follow {
      guard context.profile.role == .child else { return nil }
      let news = context.factNews.version
      var mark = Mark(file: SystemAccounts.mark(), inSession: SystemAccounts.inSession(), named: seen?.mark.named ?? [])
      // The database is read when something has come, and not with each look: an idle node hardly
      // wakes.
      if seen?.news != news, let household = try? await context.readHousehold() {
        mark.named = household.accountNames(on: context.own)
      }
      let isDue = seen.map { $0.mark != mark || context.now() - $0.at >= Self.longest } ?? true
      // After a look that failed, what had come is read again.
      if !isDue { seen?.news = news } else if await look(mark) { seen = (mark, context.now(), news) }
      return Self.pause
    }
  }

  /// Reads the accounts; returns whether they are durable.
  private func look(_ mark: Mark) async -> Bool {
    do {
      let stated = context.profile.accounts
      let entries = SystemAccounts.known(besides: (stated?.accounts ?? []) + mark.named)
      var people = SystemAccounts.people(among: entries, ownUser: geteuid(), named: Set(mark.named))
      // Where a directory cannot be asked now, a child who is logged in stays who it was.
      let listed = Set(entries.map(\.uid))
      people += try await context.store.accounts(of: context.own).filter {
        mark.inSession.contains($0.uid) && !listed.contains($0.uid)
      }
      let accounts = Array(people.sorted().prefix(Account.most))
      let uids = Set(accounts.map(\.uid))
      let kept = try await context.store.setAccounts(
        stated?.stated(in: accounts) ?? accounts,
        entries.filter { uids.contains($0.uid) }.map { SystemAccounts.identity(of: $0) },
        key: { HouseholdKey.account($0) }, nameKey: { HouseholdKey.account(named: $0) }, at: context.wall())
      for account in kept.takenOver {
        context.logger.notice(
          "a new account has the number of another one: it is nobody's until a parent says whose it is",
          metadata: ["account": "\(account.name)", "number": "\(account.uid)"])
      }
      await directory.committed(kept.changes)
      if !kept.takenOver.isEmpty { context.discoveryKeyChanges.notify() }
      // What is told of accounts that are nobody's follows.
      context.enforcementState.changes.notify()
      context.changes.notify()
      return true
    } catch {
      context.logger.error("accounts could not be kept", metadata: ["reason": "\(error)"])
      return false
    }
  }
}
