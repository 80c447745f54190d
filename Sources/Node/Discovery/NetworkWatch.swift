import LatchkeyModel
import LatchkeySystem
import Logging

/// Notices that this machine has other addresses, or has slept, and has every link see to its
/// session.
///
/// The kernel's word of a change comes through discovery. Beside that, it looks at the clocks about
/// every three seconds, which is most of what wakes an idle node, and at the addresses every ten:
/// to list them costs it more than all else.
///
/// Spec: Protocol/04-session.md §5.
actor NetworkWatch {
  private let context: NodeContext
  private let directory: LinkDirectory
  private let discovery: DiscoveryService
  private var clock = ClockJump()

  /// The time between two looks at the clocks, in milliseconds.
  private static let pace: Int64 = 3_300
  /// The number of looks at the clocks of which one is also a look at the addresses.
  private static let addressPace = 3
  /// The time by which two clocks may part, or a look may be late, before the machine counts as
  /// having slept.
  private static let tolerance = Duration.seconds(2)

  init(context: NodeContext, directory: LinkDirectory, discovery: DiscoveryService) {
    self.context = context
    self.directory = directory
    self.discovery = discovery
  }

  func run() async {
    // Two tasks that last, and not two for each look: an idle node hardly wakes.
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var looks = 0
        await ChangeSignal().follow(after: Self.pace) {
          looks += 1
          await self.look(atAddresses: looks.isMultiple(of: Self.addressPace))
          return Self.pace
        }
      }
      group.addTask {
        await self.context.networkChanges.follow(after: nil) {
          await self.look(atAddresses: true)
          return nil
        }
      }
    }
  }

  private func look(atAddresses: Bool) async {
    // Suspended, the one clock stands still; stopped as a process, neither does, and only this look
    // is late.
    let change = clock.change()
    let hasSlept = change.slept > Self.tolerance || change.passed > .milliseconds(Self.pace) + Self.tolerance
    guard hasSlept || atAddresses else { return }
    let (before, after) = context.lookAtNetwork()
    guard hasSlept || before != after else { return }
    context.logger.info(
      hasSlept ? "this machine has slept" : "this machine's addresses have changed",
      metadata: ["addresses": "\(after.all.sorted().joined(separator: " "))"])
    for link in await directory.all { await link.networkChanged(after) }
    if before.networks != after.networks { await discovery.networkChanged() }
  }
}
