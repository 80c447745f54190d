import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// Finds out when a disk that was full, read-only or faulty is well again, and has the rest of the node go on then.
///
/// Idle while nothing is wrong. Spec: Protocol/05-delivery.md §6.
struct DiskService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// Milliseconds between two trials at most.
  private static let longestPause: Int64 = 15_000
  /// Milliseconds without a fault after which the next one is a new one, and not the same again.
  private static let calm: Int64 = 60_000

  func run() async {
    var backoff = Backoff()
    var recovered = context.now()
    while !Task.isCancelled {
      let seen = context.diskChanges.version
      if let fault = context.store.diskFault, !fault.isDamage {
        if context.now() - recovered > Self.calm { backoff.reset() }
        repeat {
          let pause = min(backoff.failed(jitter: Double.random(in: 0...1)), Self.longestPause)
          do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
        } while await !context.store.tryDisk() && context.store.diskFault?.isDamage == false
        recovered = context.now()
        if context.store.diskFault == nil {
          // What the start of the node had no room for.
          try? await context.foundHousehold()
          try? await context.reloadHousehold()
          for link in await directory.all { await link.diskRecovered() }
        }
      }
      await context.diskChanges.wait(after: seen)
    }
  }
}
