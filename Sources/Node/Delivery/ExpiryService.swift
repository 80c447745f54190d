import LatchkeyModel
import LatchkeyStore

/// A service that ends commands whose life time is over.
///
/// It is idle while no command can expire.
struct ExpiryService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// The longest time between two checks, in milliseconds.
  ///
  /// The time of a check is stored, so a power cut costs at most that much of a command's age.
  private static let look: Int64 = 10 * 60_000
  /// The delay before the next attempt after a disk fault, in milliseconds.
  private static let pause: Int64 = 30_000

  func run() async {
    await context.expiryChanges.follow(
      retry: Self.pause, "the commands could not be checked for expiry", context.logger
    ) {
      let expired = try await context.store.expireDue(at: context.wall())
      if !expired.isEmpty {
        context.logger.notice("commands have expired", metadata: ["count": "\(expired.count)"])
        context.changes.notify()
      }
      let late = try await context.store.expireEffects(at: context.wall())
      if !late.isEmpty {
        context.logger.notice("effects had no outcome in time", metadata: ["count": "\(late.count)"])
        await directory.committed(late)
      }
      return try await context.store.untilNextExpiry().map { min($0, Self.look) }
    }
  }
}
