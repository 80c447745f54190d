import Glibc
import LatchkeyModel
import Logging

/// Notices that this machine has other addresses, or has slept, and has every link see to its session.
///
/// The kernel's word of a change comes through discovery; without that, and for sleep, it looks every two seconds.
/// Spec: Protocol/04-session.md §5.
actor NetworkWatch {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let discovery: DiscoveryService
  private var last: (boot: BootInstant, awake: Int64)

  /// Milliseconds between two looks.
  private static let pace: Int64 = 2_000
  /// Milliseconds that two clocks may part, or a look come late, before the machine counts as having slept.
  private static let tolerance: Int64 = 2_000

  init(context: NodeContext, directory: LinkDirectory, discovery: DiscoveryService) {
    self.context = context
    self.directory = directory
    self.discovery = discovery
    last = (context.now(), Self.awake())
  }

  func run() async {
    // Two tasks that last, and not two for each look: an idle node hardly wakes.
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try? await Task.sleep(for: .milliseconds(Self.pace))
          await self.look()
        }
      }
      group.addTask {
        var seen = self.context.networkChanges.version
        while !Task.isCancelled {
          await self.context.networkChanges.wait(after: seen)
          seen = self.context.networkChanges.version
          await self.look()
        }
      }
    }
  }

  private func look() async {
    guard !Task.isCancelled else { return }
    let now = (boot: context.now(), awake: Self.awake())
    let passed = now.boot - last.boot
    // Suspended, the one clock stands; stopped as a process, neither does, and only this look comes late.
    let hasSlept = passed - (now.awake - last.awake) > Self.tolerance || passed > Self.pace + Self.tolerance
    last = now
    let (before, after) = context.lookAtNetwork()
    guard hasSlept || before != after else { return }
    context.logger.info(
      hasSlept ? "this machine has slept" : "this machine's addresses have changed",
      metadata: ["addresses": "\(after.all.sorted().joined(separator: " "))"])
    for link in await directory.all { await link.networkChanged(after) }
    if before.networks != after.networks { await discovery.networkChanged() }
  }

  private static func awake() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
