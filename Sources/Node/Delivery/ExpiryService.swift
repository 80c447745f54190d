import LatchkeyModel
import LatchkeyStore

/// Ends commands that have waited for as long as they were to. Does nothing while none can run out.
struct ExpiryService: Sendable {
  let context: NodeContext
  /// Milliseconds between two looks at the clock, which is noted then: so much of a command's age a power cut may cost.
  private static let look: Int64 = 10 * 60_000
  /// Milliseconds before the next try after a fault of the disk.
  private static let pause: Int64 = 30_000

  func run() async {
    while !Task.isCancelled {
      let seen = context.expiryChanges.version
      var wait: Int64?
      do {
        let expired = try await context.store.expireDue(at: context.wall())
        if !expired.isEmpty {
          context.logger.notice("commands have run out", metadata: ["count": "\(expired.count)"])
          context.changes.notify()
        }
        wait = try await context.store.untilNextExpiry().map { min($0, Self.look) }
      } catch {
        context.logger.error("commands could not be looked at", metadata: ["reason": "\(error)"])
        wait = Self.pause
      }
      await context.expiryChanges.wait(after: seen, milliseconds: wait)
    }
  }
}
