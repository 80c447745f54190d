import LatchkeyModel
import LatchkeyStore
import LatchkeySystem

/// A service that ends who is there in an account that several children share with the account's
/// log-in sessions.
///
/// Spec: Protocol/10-household.md §3.
struct PresenceService: Sendable {
  let context: NodeContext
  let usage: UsageService
  /// Milliseconds between two looks at the log-in sessions while somebody is named.
  private static let pause: Int64 = 5_000

  func run() async {
    await context.presenceChanges.follow(retry: Self.pause, "who is there could not be looked at", context.logger) {
      guard context.profile.role == .child else { return nil }
      let named = try await context.store.presentChildren().filter { $0.child != nil }
      var isNamed = false
      for present in named {
        guard present.hasEnded(boot: context.bootID, sessions: SystemAccounts.logIns(of: present.account)) else {
          isNamed = isNamed || !present.sessions.isEmpty
          continue
        }
        try await usage.setPresent(
          PresentChild(
            account: present.account, child: nil, bootID: context.bootID, since: BootInstant(milliseconds: 0),
            changedAt: context.now()),
          after: present)
        context.logger.notice(
          "nobody is named in a shared account any more", metadata: ["number": "\(present.account)"])
      }
      return isNamed ? Self.pause : nil
    }
  }
}
