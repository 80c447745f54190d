import LatchkeyModel

/// A service that notices when a full, read-only or faulty disk has recovered, and lets the rest of
/// the node continue.
///
/// It is idle while there is no fault.
///
/// Spec: Protocol/05-delivery.md §6.
struct DiskService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  /// The longest time between two attempts, in milliseconds.
  private static let longestPause: Int64 = 5_000
  /// The time without a fault after which the next fault counts as a new one, in milliseconds.
  private static let calm: Int64 = 60_000
  /// The time after the start of the node at which the whole database is read, if its start has
  /// left that out, in milliseconds.
  private static let examination: Int64 = 60_000

  /// Reads the whole database a while after the start, unless the start has done so, and waits for
  /// the end of the node.
  func examine() async {
    await ChangeSignal().follow(after: Self.examination) {
      if context.store.isUnexamined { await context.store.examine() }
      return nil
    }
  }

  func run() async {
    var backoff = Backoff(longest: Self.longestPause)
    var recovered = context.now()
    await context.diskChanges.follow {
      if let fault = context.store.diskFault, !fault.isDamage {
        if context.now() - recovered > Self.calm { backoff.reset() }
        repeat {
          let pause = backoff.failed(jitter: Double.random(in: 0...1))
          do { try await Task.sleep(for: .milliseconds(pause)) } catch { return nil }
        } while await !context.store.tryDisk() && context.store.diskFault?.isDamage == false
        recovered = context.now()
        if context.store.diskFault == nil {
          // Repeats what the start of the node had no room for.
          try? await context.keepFirstDiscoveryKey()
          try? await context.reloadDiscoveryKeys()
          for link in await directory.all { await link.diskRecovered() }
        }
      }
      return nil
    }
  }
}
