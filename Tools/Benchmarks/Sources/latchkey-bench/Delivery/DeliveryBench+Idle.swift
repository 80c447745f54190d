import Foundation
import LatchkeyModel
import LatchkeyNode

extension DeliveryBench {
  /// Measures a connected, idle child, and at the same time an idle syncthing.
  func idle() async throws -> Result {
    let (parent, child) = try await pairedProcesses("idle")
    defer {
      parent.stop()
      child.stop()
    }
    let syncthing = try Syncthing(folder: fresh("syncthing"))
    defer { syncthing.stop() }
    // Both have completed their start by then.
    try await Task.sleep(for: .seconds(10))
    guard try await child.client.ask(Endpoints.getStatus).peers.allSatisfy(\.isConnected) else {
      throw BenchFault("The idle child is not connected.")
    }
    try await Task.sleep(for: .seconds(5))
    let before = (try ProcessCost.of(child.id), try ProcessCost.of(syncthing.process.id))
    try await Task.sleep(for: .seconds(idleSeconds))
    let after = (try ProcessCost.of(child.id), try ProcessCost.of(syncthing.process.id))
    let seconds = Double(idleSeconds)
    let ours = (after.0.seconds - before.0.seconds) / seconds * 100
    let theirs = (after.1.seconds - before.1.seconds) / seconds * 100
    let wakeups = Double(after.0.wakeups(since: before.0)) / seconds
    let theirWakeups = Double(after.1.wakeups(since: before.1)) / seconds
    let memory = (Double(after.0.residentBytes) / 1e6, Double(after.1.residentBytes) / 1e6)
    return Result(
      rows: [
        BenchRow(
          "idle child: memory", memory.0, "MB", peer: memory.1, target: "at most 24 MB", met: memory.0 <= 24),
        BenchRow(
          "  CPU over \(idleSeconds) s", ours, "%", peer: theirs, target: "less, under 0.1 %",
          met: ours < theirs && ours < 0.1),
        BenchRow(
          "  wake-ups", wakeups, "1/s", peer: theirWakeups, target: "less", met: wakeups < theirWakeups),
      ],
      note:
        "`latchkey run`, connected to its parent, without mDNS; syncthing with no folder and no device, connected to nobody."
    )
  }
}
